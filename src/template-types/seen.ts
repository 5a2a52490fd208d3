import { type Literal, Literals, literalOf, tagRankOf } from "./literals.ts";

/** The kinds of values JSON has, as bits. */
export const kinds = { null: 1, string: 2, number: 4, boolean: 8, array: 16, object: 32 } as const;

/** How deep values may be nested: the client refuses deeper ones. */
const maxDepth = 500;

/** How many variants of an object are kept apart; beyond that they are told apart by less. */
const maxVariants = 256;

/** How many names objects of all sorts may have before they count as data. */
const maxNames = 1_000;

/** How many orders of members are remembered. */
const maxLayouts = 1_024;

/**
 * What was seen at one place. Depends on what was added, never on its order, and grows with the shapes, not with
 * the samples.
 */
export class Place {
  /** Bits of `kinds`; none where nothing was ever seen. */
  kinds = 0;
  /** What was seen in the arrays. */
  items: Place | undefined;
  /** Whether one array alone held things as different as the arrays together do. */
  isMixed = false;
  objects: Objects | undefined;

  add(value: unknown, kind: number, depth: number): void {
    this.kinds |= kind;
    if (kind < kinds.array) return;
    if (depth > maxDepth) {
      throw new Error(`A sample is nested deeper than ${maxDepth} levels, and the client would refuse it.`);
    }
    if (kind === kinds.object) {
      this.objects ??= new Objects();
      this.objects.add(value as Record<string, unknown>, depth + 1);
    } else {
      this.#addItems(value as readonly unknown[], depth + 1);
    }
  }

  #addItems(array: readonly unknown[], depth: number): void {
    this.items ??= new Place();
    let held = 0;
    for (const item of array) {
      const value = plain(item);
      // JSON has null for what it cannot hold, since an item cannot be left out.
      const kind = kindOf(value) || kinds.null;
      held |= kind;
      this.items.add(value, kind, depth);
    }
    if (isWild(held)) this.isMixed = true;
  }

  absorb(other: Place): void {
    this.kinds |= other.kinds;
    this.isMixed ||= other.isMixed;
    if (other.items) {
      this.items ??= new Place();
      this.items.absorb(other.items);
    }
    if (other.objects) {
      this.objects ??= new Objects();
      this.objects.absorb(other.objects);
    }
  }
}

/** Whether kinds have nothing in common: texts, numbers and booleans are all something to print. */
export function isWild(mask: number): boolean {
  const worlds = [kinds.string | kinds.number | kinds.boolean, kinds.array, kinds.object];
  return worlds.filter((world) => mask & world).length > 1;
}

/** What was seen of one member of one variant. */
export class Member {
  /** How many objects had it. */
  count = 0;
  readonly place = new Place();
  readonly literals = new Literals();

  add(value: unknown, kind: number, depth: number): void {
    this.count += 1;
    this.place.add(value, kind, depth);
    this.literals.add(value);
  }

  absorb(other: Member): void {
    this.count += other.count;
    this.place.absorb(other.place);
    this.literals.absorb(other.literals);
  }
}

/** Objects that are one sort, as far as they can be told apart. */
export class Variant {
  /** How many objects there were. */
  count = 0;
  readonly members = new Map<string, Member>();
  /** What was seen of all members, where their names are data: then `members` is empty. */
  others: Member | undefined;

  /** The names and kinds of all members, in a fixed order. */
  readonly signature: string;
  /** The literals of those that are tags by their name. */
  readonly tags: string;

  constructor(signature: string, tags: string) {
    this.signature = signature;
    this.tags = tags;
  }

  /** The member of that name, made where it is new. */
  member(name: string): Member {
    if (this.others) return this.others;
    let member = this.members.get(name);
    if (!member) {
      member = new Member();
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

  /** Joins all members into one. */
  forgetNames(): void {
    const others = this.others ?? new Member();
    for (const member of this.members.values()) others.absorb(member);
    this.members.clear();
    this.others = others;
  }
}

/** By what variants are told apart: by everything, by their tags, by nothing. */
const grains = ["signature", "tags", "nothing"] as const;

/** The objects seen at one place, by variants. */
export class Objects {
  readonly #variants = new Map<string, Variant>();
  #grain = 0;
  readonly #layouts = new Map<string, Layout>();
  #last: Layout | undefined;
  #merged: Variant | undefined;

  get variants(): readonly Variant[] {
    return [...this.#variants.values()];
  }

  /** All variants as one. */
  get merged(): Variant {
    this.#merged ??= merge(this.variants);
    return this.#merged;
  }

  add(object: Readonly<Record<string, unknown>>, depth: number): void {
    const names = Object.keys(object);
    let layout = this.#last;
    if (layout === undefined || !fits(layout, names, object)) {
      layout = this.#layoutOf(names, object);
      this.#last = layout;
    }
    this.#merged = undefined;
    layout.variant.count += 1;
    for (let index = 0; index < names.length; index++) {
      const member = layout.members[index];
      const kind = layout.kinds[index];
      if (member && kind) member.add(plain(object[names[index] as string]), kind, depth);
    }
    if (this.#grain === grains.length - 1 && layout.variant.members.size > maxNames) {
      layout.variant.forgetNames();
      this.#forgetLayouts();
    }
  }

  absorb(other: Objects): void {
    this.#merged = undefined;
    while (this.#grain < other.#grain) this.#coarsen();
    for (const variant of other.#variants.values()) {
      this.#variantOf(variant.signature, variant.tags).absorb(variant);
    }
    this.#keepFew();
  }

  #layoutOf(names: readonly string[], object: Readonly<Record<string, unknown>>): Layout {
    const looks = names.map((name): Look => {
      const value = plain(object[name]);
      return { name, kind: kindOf(value), tag: tagOf(name, value) };
    });
    const key = signatureOf(looks);
    const known = this.#layouts.get(key);
    if (known) return known;
    const seen = looks.filter(({ kind }) => kind !== 0).sort((a, b) => (a.name < b.name ? -1 : 1));
    const tags = signatureOf(seen.filter(({ tag }) => tag !== undefined));
    const signature = signatureOf(seen);
    this.#variantOf(signature, tags);
    this.#keepFew();
    const variant = this.#variantOf(signature, tags);
    const layout = {
      names,
      kinds: looks.map(({ kind }) => kind),
      tags: looks.map(({ tag }) => tag),
      areTags: names.map(isTag),
      variant,
      members: looks.map(({ name, kind }) => (kind === 0 ? undefined : variant.member(name))),
    };
    if (this.#layouts.size >= maxLayouts) this.#layouts.clear();
    this.#layouts.set(key, layout);
    return layout;
  }

  #variantOf(signature: string, tags: string): Variant {
    const key = [signature, tags, ""][this.#grain] as string;
    let variant = this.#variants.get(key);
    if (!variant) {
      variant = new Variant(signature, tags);
      this.#variants.set(key, variant);
    }
    return variant;
  }

  #keepFew(): void {
    while (this.#variants.size > maxVariants) this.#coarsen();
    if (this.#grain < grains.length - 1) return;
    for (const variant of this.#variants.values()) {
      if (variant.members.size > maxNames) variant.forgetNames();
    }
  }

  #coarsen(): void {
    const variants = this.variants;
    this.#grain += 1;
    this.#variants.clear();
    this.#forgetLayouts();
    for (const variant of variants) this.#variantOf(variant.signature, variant.tags).absorb(variant);
  }

  #forgetLayouts(): void {
    this.#layouts.clear();
    this.#last = undefined;
  }
}

/** Joins variants into a new one. */
export function merge(variants: readonly Variant[]): Variant {
  const merged = new Variant("", "");
  for (const variant of variants) merged.absorb(variant);
  return merged;
}

/** Objects whose members come in one order, so that most need no sorting. */
interface Layout {
  readonly names: readonly string[];
  readonly kinds: readonly number[];
  readonly tags: readonly (Literal | undefined)[];
  readonly areTags: readonly boolean[];
  readonly variant: Variant;
  readonly members: readonly (Member | undefined)[];
}

function fits(layout: Layout, names: readonly string[], object: Readonly<Record<string, unknown>>): boolean {
  if (names.length !== layout.names.length) return false;
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as string;
    if (name !== layout.names[index]) return false;
    const value = plain(object[name]);
    if (kindOf(value) !== layout.kinds[index]) return false;
    if (layout.areTags[index] && literalOf(value) !== layout.tags[index]) return false;
  }
  return true;
}

/** What can be told of a member at a glance. */
interface Look {
  readonly name: string;
  readonly kind: number;
  readonly tag: Literal | undefined;
}

/** No two lists of looks have one text: every name and tag has its length before it. */
function signatureOf(looks: readonly Look[]): string {
  let signature = "";
  for (const { name, kind, tag } of looks) {
    signature += `${name.length}:${name}${kind};`;
    if (tag !== undefined) signature += `${String(tag).length}=${tag}`;
  }
  return signature;
}

function isTag(name: string): boolean {
  return tagRankOf(name) === "by name";
}

function tagOf(name: string, value: unknown): Literal | undefined {
  return isTag(name) ? literalOf(value) : undefined;
}

/** 0 is what JSON leaves out. */
function kindOf(value: unknown): number {
  switch (typeof value) {
    case "string":
      return kinds.string;
    case "number":
      return kinds.number;
    case "boolean":
      return kinds.boolean;
    case "object":
      if (value === null) return kinds.null;
      return Array.isArray(value) ? kinds.array : kinds.object;
    default:
      return 0;
  }
}

/** What JSON would make of it: a sample may come from a module, and hold a `Date`. */
function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === "function" ? (toJSON.call(value) as unknown) : value;
}
