import { plain, valueKindOf } from "./kinds.ts";
import { type Literal, literalOf, tagRankOf } from "./literals.ts";

/** What {@link ObjectOutline} holds of one property. */
interface PropertyOutline {
  readonly name: string;
  /** One of `kinds`, or 0 for what JSON leaves out. */
  readonly kind: number;
  /** The literal of what is a tag by its name. */
  readonly tag: Literal | undefined;
}

/** The properties of an object in their order: their names, their kinds, and the literals of tags. */
export class ObjectOutline {
  readonly properties: readonly PropertyOutline[];
  readonly #areTags: readonly boolean[];

  constructor(names: readonly string[], object: Readonly<Record<string, unknown>>) {
    this.#areTags = names.map(isTag);
    this.properties = names.map((name) => {
      const value = plain(object[name]);
      return { name, kind: valueKindOf(value), tag: isTag(name) ? literalOf(value) : undefined };
    });
  }

  /** Whether another object has the same outline: nearly all do, and this is quicker than building theirs. */
  fits(names: readonly string[], object: Readonly<Record<string, unknown>>): boolean {
    const { properties } = this;
    if (names.length !== properties.length) return false;
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string;
      const property = properties[index] as PropertyOutline;
      if (name !== property.name) return false;
      const value = plain(object[name]);
      if (valueKindOf(value) !== property.kind) return false;
      if (this.#areTags[index] && literalOf(value) !== property.tag) return false;
    }
    return true;
  }

  /** A text that only objects with this outline have, in this order of properties. */
  get key(): string {
    return textOf(this.properties);
  }

  /** The same in any order of properties, without those that JSON omits. */
  get signature(): string {
    return textOf(this.#sorted());
  }

  /** The same of nothing but the tags. */
  get tags(): string {
    return textOf(this.#sorted().filter(({ tag }) => tag !== undefined));
  }

  #sorted(): readonly PropertyOutline[] {
    return this.properties.filter(({ kind }) => kind !== 0).sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

function isTag(name: string): boolean {
  return tagRankOf(name) === "by name";
}

/** No two lists have one text: every name and tag has its length before it. */
function textOf(properties: readonly PropertyOutline[]): string {
  let text = "";
  for (const { name, kind, tag } of properties) {
    text += `${name.length}:${name}${kind};`;
    if (tag !== undefined) text += `${String(tag).length}=${tag}`;
  }
  return text;
}
