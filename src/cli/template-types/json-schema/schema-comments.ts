import type { SchemaIndex } from "./schema-index.ts";

/** What the authors of a schema say of its members. */
export class SchemaComments {
  readonly #root: unknown;
  readonly #index: SchemaIndex;
  readonly #known = new Map<unknown, string | undefined>();

  constructor(root: unknown, index: SchemaIndex) {
    this.#root = root;
    this.#index = index;
  }

  /** Returns the comment on a member: from its schema, or from where its reference leads. */
  of(schema: unknown): string | undefined {
    const passed = new Set<unknown>();
    let comment: string | undefined;
    // What is said of the whole is said of the values, not of a member.
    for (let here = schema; isSchema(here) && here !== this.#root && !passed.has(here); ) {
      // Members may share a long chain of references: it is followed once.
      comment = this.#known.get(here) ?? textOf(here);
      if (comment !== undefined || this.#known.has(here)) break;
      passed.add(here);
      const { $ref } = here;
      here = typeof $ref === "string" ? this.#index.find($ref, here)?.schema : undefined;
    }
    for (const each of passed) this.#known.set(each, comment);
    return comment;
  }
}

function textOf({ description, title }: Readonly<Record<string, unknown>>): string | undefined {
  return [description, title].find((one): one is string => typeof one === "string" && one !== "");
}

export function isSchema(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
