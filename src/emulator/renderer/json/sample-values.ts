import type { JsonPath } from "../../../json/json-value.ts";
import type { ObjectShape, Shape } from "../../../template-types/shape.ts";

/** The index of an item. A larger number in a path is a property name, such as a year. */
const index = /^(?:0|[1-9]\d?)$/;

/** The sample of a number that is added. */
const sampleNumber = 1234.5;

/** The values that enclosing `$if` test; `undefined` in `$else`. */
type Conditions = readonly (ValueShape | undefined)[];

/** How a template uses one of its values. */
export class ValueShape {
  isText = false;
  /** A value for which `$is` is true. */
  compared: string | number | boolean | undefined;
  isTested = false;
  /** Whether the template needs the value if it needs the object with the value. What is under `$if` is not needed. */
  isRequired = false;
  /** The locations of `$if` that test the value. */
  readonly tests: JsonPath[] = [];
  /** A sample value that fits the format of the placeholder. */
  formatted: string | number | undefined;
  /** The shape of its items, if it is an array. */
  #item: ValueShape | undefined;
  #length = 1;
  readonly #members = new Map<string, ValueShape>();
  /** The paths of `{{sum lines.amount}}` from here. Which of their names are arrays is known when all of the template is. */
  readonly #sums: { readonly names: readonly string[]; readonly conditions: Conditions | undefined }[] = [];

  at(names: readonly string[]): ValueShape {
    return names.reduce<ValueShape>((shape, name) => shape.#property(name), this);
  }

  /**
   * Marks the values on a path as required.
   *
   * @param conditions - the values that enclosing `$if` test; `undefined` in `$else`. A value inside a tested value is required there
   */
  require(names: readonly string[], conditions: Conditions): void {
    const outer: ValueShape[] = [this];
    for (const name of names) {
      const value = (outer.at(-1) ?? this).#property(name);
      if (areAllIn(outer, conditions)) value.isRequired = true;
      outer.push(value);
    }
  }

  /** Marks the value as an array and returns the shape of its items. */
  markArray(): ValueShape {
    this.#item ??= new ValueShape();
    return this.#item;
  }

  /** @param conditions - as for {@link require}; `undefined` if the sum may be missing */
  addSum(names: readonly string[], conditions: Conditions | undefined): void {
    this.#sums.push({ names, conditions });
  }

  /** Adds what the sums need. A path without an array has one before its last name. */
  #resolveSums(): void {
    for (const { names, conditions } of this.#sums.splice(0)) {
      let shape: ValueShape = this;
      const outer: ValueShape[] = [this];
      let hasArray = false;
      for (const [index, name] of names.entries()) {
        const isLast = index === names.length - 1;
        if (shape.#item || (isLast && index > 0 && !hasArray)) {
          shape = shape.markArray();
          hasArray = true;
        }
        shape = shape.#property(name);
        if (conditions && areAllIn(outer, conditions)) shape.isRequired = true;
        outer.push(shape);
      }
      const addend = hasArray && !shape.#item ? shape : shape.markArray();
      addend.formatted ??= sampleNumber;
    }
  }

  /** Generates a value. A string value is its own name, and an item has the name of its array. */
  sample(name: string): unknown {
    this.#resolveSums();
    if (this.#members.size > 0) return this.sampleObject();
    if (this.#item) return Array(this.#length).fill(this.#item.sample(name));
    if (this.compared !== undefined) return this.compared;
    if (this.formatted !== undefined) return this.formatted;
    return this.isTested && !this.isText ? true : name;
  }

  sampleObject(): Record<string, unknown> {
    this.#resolveSums();
    return Object.fromEntries([...this.#members].map(([name, shape]) => [name, shape.sample(name)]));
  }

  /** Returns the shape of the values that the template uses. */
  objectShape(): ObjectShape {
    this.#resolveSums();
    const members = [...this.#members].map(([name, value]) => {
      return [name, { shape: value.#shape(), isOptional: !value.isRequired, comment: undefined }] as const;
    });
    return { kind: "object", members: new Map(members), others: undefined };
  }

  #shape(): Shape {
    this.#resolveSums();
    if (this.#members.size > 0) return this.objectShape();
    if (this.#item) return { kind: "array", items: this.#item.#shape() };
    if (this.formatted !== undefined)
      return { kind: typeof this.formatted === "number" ? "number" : "string" };
    if (this.isText) return { kind: "string" };
    if (this.compared !== undefined) return { kind: typeof this.compared as "string" | "number" | "boolean" };
    return { kind: this.isTested ? "boolean" : "string" };
  }

  /** Lists the values that `$if` tests although a shape does not have them, with the locations of `$if`. */
  unknownTests(known: Shape, path = ""): readonly { readonly path: string; readonly place: JsonPath }[] {
    this.#resolveSums();
    const items = this.#item?.unknownTests(itemsOf(known), `${path}[]`) ?? [];
    const members = [...this.#members].flatMap(([name, value]) => {
      const inner = path === "" ? name : `${path}.${name}`;
      const shape = propertyOf(known, name);
      if (shape) return value.unknownTests(shape, inner);
      return value.tests.map((place) => ({ path: inner, place }));
    });
    return [...items, ...members];
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

/** Whether all conditions test one of the values. */
function areAllIn(values: readonly ValueShape[], conditions: Conditions): boolean {
  return conditions.every((condition) => condition && values.includes(condition));
}

const anything: Shape = { kind: "unknown" };

/** Returns the shape of a property; `undefined` if objects of this shape do not have it. */
function propertyOf(shape: Shape, name: string): Shape | undefined {
  if (shape.kind === "object") return shape.members.get(name)?.shape ?? shape.others;
  if (shape.kind !== "union") return anything;
  const objects = shape.of.filter(({ kind }) => kind === "object" || kind === "reference");
  const found = objects.flatMap((each) => propertyOf(each, name) ?? []);
  return found.length > 1 || objects.length === 0 ? anything : found[0];
}

function itemsOf(shape: Shape): Shape {
  if (shape.kind === "array") return shape.items;
  const [only, another] = shape.kind === "union" ? shape.of.filter(({ kind }) => kind === "array") : [];
  return only?.kind === "array" && another === undefined ? only.items : anything;
}
