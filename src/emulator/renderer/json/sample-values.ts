/** What counts an item; a greater number in a path is the name of a member, such as a year. */
const index = /^(?:0|[1-9]\d?)$/;

/** What a template does with one of its values, as far as it can be told from the template. */
export class ValueShape {
  isText = false;
  isTested = false;
  #isArray = false;
  #length = 1;
  #item: ValueShape | undefined;
  readonly #indices = new Set<string>();
  readonly #members = new Map<string, ValueShape>();

  /** Finds the shape at the end of a path. */
  at(names: readonly string[]): ValueShape {
    return names.reduce<ValueShape>((shape, name) => shape.#member(name), this);
  }

  /** Notes that it is gone through, and gives the shape of its items. */
  markArray(): ValueShape {
    this.#isArray = true;
    return this.#anyItem();
  }

  /**
   * Makes up a value: where a text is needed, its own name.
   *
   * @param name - of the value; an item has that of its array
   */
  sample(name: string): unknown {
    if (this.#isArray || (this.#indices.size > 0 && this.#members.size === 0)) {
      return Array.from({ length: this.#length }, () => this.#item?.sample(name));
    }
    if (this.#members.size > 0) return this.sampleObject();
    return this.isTested && !this.isText ? true : name;
  }

  sampleObject(): Record<string, unknown> {
    const items = [...this.#indices].map((name) => [name, this.#item?.sample(name)] as const);
    const members = [...this.#members].map(([name, shape]) => [name, shape.sample(name)] as const);
    return Object.fromEntries([...items, ...members]);
  }

  #member(name: string): ValueShape {
    if (index.test(name)) {
      this.#indices.add(name);
      this.#length = Math.max(this.#length, Number(name) + 1);
      return this.#anyItem();
    }
    const known = this.#members.get(name) ?? new ValueShape();
    this.#members.set(name, known);
    return known;
  }

  #anyItem(): ValueShape {
    this.#item ??= new ValueShape();
    return this.#item;
  }
}
