import { maxNesting } from "../json/json-value.ts";
import { type Literal, Literals, literalOf, tagRankOf } from "./literals.ts";

/** The kinds of JSON values, as bits. */
export const kinds = { null: 1, string: 2, number: 4, boolean: 8, array: 16, object: 32 } as const;

/** The kind of a JSON value. */
function valueKindOf(value: unknown): number {
  if (value === null) return kinds.null;
  if (Array.isArray(value)) return kinds.array;
  return kinds[typeof value as "string" | "number" | "boolean" | "object"];
}

/** Whether kinds are unrelated. Strings, numbers and booleans are related, because all of them can be printed. */
export function isWild(mask: number): boolean {
  const worlds = [kinds.string | kinds.number | kinds.boolean, kinds.array, kinds.object];
  return worlds.filter((world) => mask & world).length > 1;
}

/** The maximum number of variants of an object. Beyond that, only discriminants separate them. */
const maxVariants = 256;

/** The maximum number of property names of merged objects. With more, the names count as data. */
const maxNames = 1_000;

/** The maximum number of object outlines that are kept. */
const maxOutlines = 1_024;

/**
 * The values observed at one path of the samples. The result does not depend on the order of the samples, and grows
 * with their shapes, not with their number.
 */
export class ObservedValues {
  /** Bits of `kinds`; no bit is set if no value was observed. */
  kinds = 0;
  /** The values observed in the arrays. */
  items: ObservedValues | undefined;
  /** Whether a single array contained unrelated kinds of values. */
  isMixed = false;
  objects: ObservedObjects | undefined;

  add(value: unknown, depth: number): void {
    const kind = valueKindOf(value);
    this.kinds |= kind;
    if (kind < kinds.array) return;
    if (depth >= maxNesting) throw new RangeError(`This is nested deeper than ${maxNesting} levels.`);
    if (kind === kinds.object) {
      this.objects ??= new ObservedObjects();
      this.objects.add(value as Record<string, unknown>, depth + 1);
    } else {
      this.#addItems(value as readonly unknown[], depth + 1);
    }
  }

  #addItems(array: readonly unknown[], depth: number): void {
    this.items ??= new ObservedValues();
    let held = 0;
    for (const item of array) {
      held |= valueKindOf(item);
      this.items.add(item, depth);
    }
    if (isWild(held)) this.isMixed = true;
  }

  absorb({ kinds, isMixed, items, objects }: ObservedValues): void {
    this.kinds |= kinds;
    this.isMixed ||= isMixed;
    if (items) {
      this.items ??= new ObservedValues();
      this.items.absorb(items);
    }
    if (objects) {
      this.objects ??= new ObservedObjects();
      this.objects.absorb(objects);
    }
  }
}

/** The values observed for one property of one variant. */
export class ObservedProperty {
  /** The number of objects with this property. */
  count = 0;
  readonly values = new ObservedValues();
  readonly literals = new Literals();

  add(value: unknown, depth: number): void {
    this.count += 1;
    this.values.add(value, depth);
    this.literals.add(value);
  }

  absorb(other: ObservedProperty): void {
    this.count += other.count;
    this.values.absorb(other.values);
    this.literals.absorb(other.literals);
  }
}

/** Objects of one variant. */
export class Variant {
  /** The number of objects. */
  count = 0;
  readonly members = new Map<string, ObservedProperty>();
  /** The observed values of all properties if their names are data. Then `members` is empty. */
  others: ObservedProperty | undefined;

  /** What distinguishes the variant from others. This is names, kinds and tags, or only tags, or nothing. */
  readonly keys: readonly string[];

  constructor(keys: readonly string[]) {
    this.keys = keys;
  }

  /** Returns the property with this name, and creates it if it is new. */
  member(name: string): ObservedProperty {
    if (this.others) return this.others;
    let member = this.members.get(name);
    if (!member) {
      member = new ObservedProperty();
      this.members.set(name, member);
    }
    return member;
  }

  absorb(other: Variant): void {
    this.count += other.count;
    for (const [name, member] of other.members) this.member(name).absorb(member);
    if (other.others) {
      this.forgetNames();
      this.others?.absorb(other.others);
    }
  }

  /** Joins all properties into one. */
  forgetNames(): void {
    const others = this.others ?? new ObservedProperty();
    for (const member of this.members.values()) others.absorb(member);
    this.members.clear();
    this.others = others;
  }
}

/** The objects observed at one path, by variants. */
export class ObservedObjects {
  readonly #variants = new Map<string, Variant>();
  /** The variants by the outlines of their objects. Several outlines may have the same variant. */
  readonly #byOutline = new Map<string, Variant>();
  /** The index of the key that currently separates variants. */
  #grain = 0;
  #merged: Variant | undefined;

  get variants(): readonly Variant[] {
    return [...this.#variants.values()];
  }

  /** All variants as one. */
  get merged(): Variant {
    const [only, another] = this.#variants.values();
    // Does not join a single one, because that would copy everything nested in it at each level.
    this.#merged ??= another === undefined && only !== undefined ? only : merge(this.variants);
    return this.#merged;
  }

  add(object: Readonly<Record<string, unknown>>, depth: number): void {
    this.#merged = undefined;
    const outline = outlineOf(object);
    const variant = this.#byOutline.get(outline) ?? this.#variantOfOutline(outline, object);
    variant.count += 1;
    for (const name of Object.keys(object)) variant.member(name).add(object[name], depth);
    this.#keepFewNames(variant);
  }

  absorb(other: ObservedObjects): void {
    this.#merged = undefined;
    while (this.#grain < other.#grain) this.#coarsen();
    for (const variant of other.variants) this.#variantOf(variant.keys).absorb(variant);
    this.#keepFew();
  }

  #variantOfOutline(outline: string, object: Readonly<Record<string, unknown>>): Variant {
    const keys = keysOf(object);
    this.#variantOf(keys);
    this.#keepFew();
    const variant = this.#variantOf(keys);
    if (this.#byOutline.size >= maxOutlines) this.#byOutline.clear();
    this.#byOutline.set(outline, variant);
    return variant;
  }

  #variantOf(keys: readonly string[]): Variant {
    const key = keys[this.#grain] ?? "";
    let variant = this.#variants.get(key);
    if (!variant) {
      variant = new Variant(keys);
      this.#variants.set(key, variant);
    }
    return variant;
  }

  #keepFew(): void {
    while (this.#variants.size > maxVariants) this.#coarsen();
    for (const variant of this.#variants.values()) this.#keepFewNames(variant);
  }

  /** An object may have thousands of properties. If objects also share hardly any of them, their names are data. */
  #keepFewNames(variant: Variant): void {
    if (this.#grain > 0 && variant.members.size > maxNames) variant.forgetNames();
  }

  #coarsen(): void {
    const variants = this.variants;
    this.#grain += 1;
    this.#variants.clear();
    this.#byOutline.clear();
    for (const variant of variants) this.#variantOf(variant.keys).absorb(variant);
  }
}

/** Joins variants into a new one. */
export function merge(variants: readonly Variant[]): Variant {
  const merged = new Variant([]);
  for (const variant of variants) merged.absorb(variant);
  return merged;
}

/** A string that two objects share only if they have the same names, kinds and tags, in this order. */
function outlineOf(object: Readonly<Record<string, unknown>>, names = Object.keys(object)): string {
  let outline = "";
  for (const name of names) {
    const value = object[name];
    // The length before each name and tag makes the outline unambiguous.
    outline += `${name.length}:${name}${valueKindOf(value)};`;
    const tag = tagOf(name, value);
    if (tag !== undefined) outline += `${String(tag).length}=${tag}`;
  }
  return outline;
}

/** The keys that separate variants independently of property order: one with all properties, one with tags only. */
function keysOf(object: Readonly<Record<string, unknown>>): readonly string[] {
  const names = Object.keys(object).sort();
  const tags = names.filter((name) => tagOf(name, object[name]) !== undefined);
  return [outlineOf(object, names), outlineOf(object, tags)];
}

/** The literal of a property that is a tag by its name. */
function tagOf(name: string, value: unknown): Literal | undefined {
  return tagRankOf(name) === "by name" ? literalOf(value) : undefined;
}
