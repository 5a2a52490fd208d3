/** The index of an item. A larger number in a path is a property name, such as a year. */
const index = /^(?:0|[1-9]\d?)$/;

/** How a template uses one of its values. */
export class ValueShape {
  isText = false;
  isTested = false;
  /** A sample value that fits the format of the placeholder. */
  formatted: string | number | undefined;
  /** The shape of its items, if it is an array. */
  #item: ValueShape | undefined;
  #length = 1;
  readonly #members = new Map<string, ValueShape>();

  at(names: readonly string[]): ValueShape {
    return names.reduce<ValueShape>((shape, name) => shape.#property(name), this);
  }

  /** Marks the value as an array and returns the shape of its items. */
  markArray(): ValueShape {
    this.#item ??= new ValueShape();
    return this.#item;
  }

  /** Generates a value. A string value is its own name, and an item has the name of its array. */
  sample(name: string): unknown {
    if (this.#members.size > 0) return this.sampleObject();
    if (this.#item) return Array(this.#length).fill(this.#item.sample(name));
    if (this.formatted !== undefined) return this.formatted;
    return this.isTested && !this.isText ? true : name;
  }

  sampleObject(): Record<string, unknown> {
    return Object.fromEntries([...this.#members].map(([name, shape]) => [name, shape.sample(name)]));
  }

  #property(name: string): ValueShape {
    if (index.test(name)) {
      this.#length = Math.max(this.#length, Number(name) + 1);
      return this.markArray();
    }
    const known = this.#members.get(name) ?? new ValueShape();
    this.#members.set(name, known);
    return known;
  }
}
