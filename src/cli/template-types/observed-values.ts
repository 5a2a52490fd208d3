import { isWild, kinds, plain, valueKindOf } from "./kinds.ts";
import { Literals } from "./literals.ts";
import { ObjectOutline } from "./object-outline.ts";

/** How deep values may be nested: the client refuses deeper ones. */
const maxDepth = 500;

/** How many variants of an object are kept apart; beyond that they are told apart by less. */
const maxVariants = 256;

/** How many names objects of all sorts may have before they count as data. */
const maxNames = 1_000;

/** How many ways to the members of an object are remembered. */
const maxRoutes = 1_024;

/**
 * The values observed at one path of the samples. The result does not depend on the order of the samples, and grows
 * with their shapes, not with their number.
 */
export class ObservedValues {
  /** Bits of `kinds`; none where nothing was ever seen. */
  kinds = 0;
  /** What was seen in the arrays. */
  items: ObservedValues | undefined;
  /** Whether one array alone held things as different as the arrays together do. */
  isMixed = false;
  objects: ObservedObjects | undefined;

  add(value: unknown, kind: number, depth: number): void {
    this.kinds |= kind;
    if (kind < kinds.array) return;
    if (depth > maxDepth) {
      throw new Error(`A sample is nested deeper than ${maxDepth} levels, and the client would refuse it.`);
    }
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
      const value = plain(item);
      // JSON has null for what it cannot hold, since an item cannot be left out.
      const kind = valueKindOf(value) || kinds.null;
      held |= kind;
      this.items.add(value, kind, depth);
    }
    if (isWild(held)) this.isMixed = true;
  }

  absorb(other: ObservedValues): void {
    this.kinds |= other.kinds;
    this.isMixed ||= other.isMixed;
    if (other.items) {
      this.items ??= new ObservedValues();
      this.items.absorb(other.items);
    }
    if (other.objects) {
      this.objects ??= new ObservedObjects();
      this.objects.absorb(other.objects);
    }
  }
}

/** The values observed for one property of one variant. */
export class ObservedProperty {
  /** How many objects had it. */
  count = 0;
  readonly values = new ObservedValues();
  readonly literals = new Literals();

  add(value: unknown, kind: number, depth: number): void {
    this.count += 1;
    this.values.add(value, kind, depth);
    this.literals.add(value);
  }

  absorb(other: ObservedProperty): void {
    this.count += other.count;
    this.values.absorb(other.values);
    this.literals.absorb(other.literals);
  }
}

/** Objects that are one sort, as far as they can be told apart. */
export class Variant {
  /** How many objects there were. */
  count = 0;
  readonly members = new Map<string, ObservedProperty>();
  /** What was seen of all members, where their names are data: then `members` is empty. */
  others: ObservedProperty | undefined;

  /** The names and kinds of all members, in a fixed order. */
  readonly signature: string;
  /** The literals of those that are tags by their name. */
  readonly tags: string;

  constructor(signature: string, tags: string) {
    this.signature = signature;
    this.tags = tags;
  }

  /** The member of that name, made where it is new. */
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

  /** Joins all members into one. */
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
  /** By what variants are told apart: by names, kinds and tags (0), by tags alone (1), by nothing (2). */
  #grain = 0;
  readonly #routes = new Map<string, Route>();
  #last: Route | undefined;
  #merged: Variant | undefined;

  get variants(): readonly Variant[] {
    return [...this.#variants.values()];
  }

  /** All variants as one. */
  get merged(): Variant {
    const [only, another] = this.#variants.values();
    // Not joined where there is only one: that copies all that is nested in it, at each of its levels.
    this.#merged ??= another === undefined && only !== undefined ? only : merge(this.variants);
    return this.#merged;
  }

  add(object: Readonly<Record<string, unknown>>, depth: number): void {
    const names = Object.keys(object);
    let route = this.#last;
    if (!route?.outline.fits(names, object)) {
      route = this.#routeOf(new ObjectOutline(names, object));
      this.#last = route;
    }
    this.#merged = undefined;
    route.variant.count += 1;
    for (let index = 0; index < names.length; index++) {
      const { member, kind } = route.steps[index] as Step;
      if (kind !== 0) member?.add(plain(object[names[index] as string]), kind, depth);
    }
    this.#keepFewNames(route.variant);
  }

  absorb(other: ObservedObjects): void {
    this.#merged = undefined;
    while (this.#grain < other.#grain) this.#coarsen();
    for (const variant of other.#variants.values()) {
      this.#variantOf(variant.signature, variant.tags).absorb(variant);
    }
    this.#keepFew();
  }

  #routeOf(outline: ObjectOutline): Route {
    const known = this.#routes.get(outline.key);
    if (known) return known;
    const { signature, tags, properties } = outline;
    this.#variantOf(signature, tags);
    this.#keepFew();
    const variant = this.#variantOf(signature, tags);
    const steps = properties.map(({ name, kind }) => ({
      kind,
      member: kind === 0 ? undefined : variant.member(name),
    }));
    const route = { outline, variant, steps };
    if (this.#routes.size >= maxRoutes) this.#routes.clear();
    this.#routes.set(outline.key, route);
    return route;
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
    for (const variant of this.#variants.values()) this.#keepFewNames(variant);
  }

  /** One object may have thousands of members; where objects hardly have one in common, too, they are data. */
  #keepFewNames(variant: Variant): void {
    if (this.#grain === 0 || variant.members.size <= maxNames) return;
    variant.forgetNames();
    this.#forgetRoutes();
  }

  #coarsen(): void {
    const variants = this.variants;
    this.#grain += 1;
    this.#variants.clear();
    this.#forgetRoutes();
    for (const variant of variants) this.#variantOf(variant.signature, variant.tags).absorb(variant);
  }

  #forgetRoutes(): void {
    this.#routes.clear();
    this.#last = undefined;
  }
}

/** Joins variants into a new one. */
export function merge(variants: readonly Variant[]): Variant {
  const merged = new Variant("", "");
  for (const variant of variants) merged.absorb(variant);
  return merged;
}

/** The way from objects that look alike to what was seen of their members. */
interface Route {
  readonly outline: ObjectOutline;
  readonly variant: Variant;
  readonly steps: readonly Step[];
}

interface Step {
  readonly kind: number;
  readonly member: ObservedProperty | undefined;
}
