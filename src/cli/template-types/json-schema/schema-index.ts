import type { JsonPath } from "../../../json/json-value.ts";

/** What a `$ref` leads to. */
export interface ReferencedSchema {
  readonly schema: unknown;
  /** What to call it. */
  readonly name: string;
  /** Where it stands. */
  readonly place: JsonPath;
}

/** Where a schema stands, and which URL its references are relative to. */
interface Noted {
  readonly base: string;
  readonly place: JsonPath;
}

/** Deeper than anybody nests schemas, and far less than the stack holds: what lies deeper is not read. */
export const maxDepth = 1000;

/** A longer `$id` names nothing: no reference in the file leads to it. */
const maxUrlLength = 2048;

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const schemaKeywords: readonly string[] = [
  ..."additionalItems additionalProperties allOf anyOf contains else if items not oneOf".split(" "),
  ..."prefixItems propertyNames then unevaluatedItems unevaluatedProperties".split(" "),
];
const mapKeywords: readonly string[] = [
  "$defs",
  "definitions",
  "properties",
  "patternProperties",
  "dependentSchemas",
];

/**
 * Knows every place of a schema that a `$ref` can lead to: by pointer, by `$anchor`, and by the `$id` of what is bundled.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-core#section-8.2
 */
export class SchemaIndex {
  readonly #byUrl = new Map<string, unknown>();
  readonly #noted = new WeakMap<object, Noted>();
  readonly #home: string;

  /**
   * @param root - the whole schema
   * @param file - by whose name it may refer to itself
   */
  constructor(root: unknown, file: string) {
    const name = file.split("/").at(-1) ?? "";
    this.#home = `schema:///${encodeURIComponent(name)}`;
    this.#byUrl.set(this.#home, root);
    this.#note(root, { base: this.#home, place: [] });
  }

  /**
   * Follows a reference.
   *
   * @param from - the schema that has it
   * @returns nothing where it leads nowhere, or out of this file
   */
  find(reference: string, from: object): ReferencedSchema | undefined {
    const url = urlOf(reference, this.#noted.get(from)?.base ?? this.#home);
    if (url === undefined) return undefined;
    const fragment = decoded(url.hash.slice(1));
    url.hash = "";
    const document = this.#byUrl.get(url.href);
    if (fragment === undefined || document === undefined) return undefined;
    const names = fragment.startsWith("/") ? fragment.slice(1).split("/").map(unescaped) : [];
    const found =
      fragment === "" || names.length > 0
        ? valueAt(document, names)
        : this.#byUrl.get(`${url.href}#${fragment}`);
    if (found === undefined) return undefined;
    // Where no keyword leads, too, such as `#/components/schemas/invoice`.
    this.#note(found, { base: url.href, place: [...this.#pathOf(document), ...names] });
    return { schema: found, name: this.#nameOf(found, fragment, url), place: this.#pathOf(found) };
  }

  #pathOf(schema: unknown): JsonPath {
    return (typeof schema === "object" && schema !== null && this.#noted.get(schema)?.place) || [];
  }

  #nameOf(found: unknown, fragment: string, { href, pathname }: URL): string {
    const last = unescaped(fragment.split("/").at(-1) ?? "");
    if (last !== "") return last;
    const { title } = (found ?? {}) as { readonly title?: unknown };
    if (typeof title === "string" && title !== "") return title;
    return href === this.#home ? "self" : (decoded(pathname)?.split("/").at(-1) ?? "self");
  }

  /** Notes every schema below one: not by calling itself, because nobody knows how deep it is. */
  #note(root: unknown, at: Noted): void {
    const open: (readonly [unknown, Noted])[] = [[root, at]];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [schema, { base: outer, place }] = next;
      if (typeof schema !== "object" || schema === null || this.#noted.has(schema)) continue;
      if (place.length > maxDepth) continue;
      const base = this.#noteNames(schema as Record<string, unknown>, outer);
      this.#noted.set(schema, { base, place });
      for (const [keyword, value] of Object.entries(schema)) {
        if (typeof value !== "object" || value === null) continue;
        if (mapKeywords.includes(keyword) || (Array.isArray(value) && schemaKeywords.includes(keyword))) {
          for (const [name, one] of Object.entries(value)) {
            open.push([
              one,
              { base, place: [...place, keyword, Array.isArray(value) ? Number(name) : name] },
            ]);
          }
        } else if (schemaKeywords.includes(keyword)) {
          open.push([value, { base, place: [...place, keyword] }]);
        }
      }
    }
  }

  /** Notes the names that a schema gives itself, and gives the base of what it holds. */
  #noteNames(schema: Record<string, unknown>, outer: string): string {
    const { $id = schema["id"], $anchor, $dynamicAnchor } = schema;
    const url = typeof $id === "string" ? urlOf($id, outer) : undefined;
    // Every reference is resolved against it: a long one would be parsed again for each.
    const id = url && url.href.length <= maxUrlLength ? url : undefined;
    let base = outer;
    if (id && id.hash.length > 1) {
      // The anchors of draft 7 and before.
      this.#byUrl.set(id.href, schema);
    } else if (id) {
      id.hash = "";
      base = id.href;
      this.#byUrl.set(base, schema);
    }
    for (const anchor of [$anchor, $dynamicAnchor]) {
      if (typeof anchor === "string") this.#byUrl.set(`${base}#${anchor}`, schema);
    }
    return base;
  }
}

function urlOf(text: string, base: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function unescaped(name: string): string {
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}

function valueAt(json: unknown, names: readonly string[]): unknown {
  return names.reduce<unknown>((value, name) => {
    const isThere = typeof value === "object" && value !== null && Object.hasOwn(value, name);
    return isThere ? (value as Record<string, unknown>)[name] : undefined;
  }, json);
}
