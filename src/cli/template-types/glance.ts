import { kindOf, plain } from "./kinds.ts";
import { type Literal, literalOf, tagRankOf } from "./literals.ts";

/** What can be told of one member at a glance. */
interface Look {
  readonly name: string;
  /** One of `kinds`, or 0 for what JSON leaves out. */
  readonly kind: number;
  /** The literal of what is a tag by its name. */
  readonly tag: Literal | undefined;
}

/** What can be told of an object at a glance: its members, in the order in which it has them. */
export class Glance {
  readonly looks: readonly Look[];
  readonly #areTags: readonly boolean[];

  constructor(names: readonly string[], object: Readonly<Record<string, unknown>>) {
    this.#areTags = names.map(isTag);
    this.looks = names.map((name) => {
      const value = plain(object[name]);
      return { name, kind: kindOf(value), tag: isTag(name) ? literalOf(value) : undefined };
    });
  }

  /** Whether another object would look the same: nearly all do, and this is quicker than to look at them. */
  fits(names: readonly string[], object: Readonly<Record<string, unknown>>): boolean {
    const { looks } = this;
    if (names.length !== looks.length) return false;
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string;
      const look = looks[index] as Look;
      if (name !== look.name) return false;
      const value = plain(object[name]);
      if (kindOf(value) !== look.kind) return false;
      if (this.#areTags[index] && literalOf(value) !== look.tag) return false;
    }
    return true;
  }

  /** A text that no object has which looks different, be it for the order of its members. */
  get key(): string {
    return textOf(this.looks);
  }

  /** The same, whatever the order of members; what JSON leaves out is left out. */
  get signature(): string {
    return textOf(this.#sorted());
  }

  /** The same of nothing but the tags. */
  get tags(): string {
    return textOf(this.#sorted().filter(({ tag }) => tag !== undefined));
  }

  #sorted(): readonly Look[] {
    return this.looks.filter(({ kind }) => kind !== 0).sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

function isTag(name: string): boolean {
  return tagRankOf(name) === "by name";
}

/** No two lists have one text: every name and tag has its length before it. */
function textOf(looks: readonly Look[]): string {
  let text = "";
  for (const { name, kind, tag } of looks) {
    text += `${name.length}:${name}${kind};`;
    if (tag !== undefined) text += `${String(tag).length}=${tag}`;
  }
  return text;
}
