import type { Schema } from "@cfworker/json-schema";
import { isJsonObject, type JsonPath } from "../../json/json-value.ts";
import { resolveReference, type SchemaDocument } from "../../json/schema-document.ts";

/** The locations, names and descriptions of the parts of a schema. */
export class SchemaParts {
  readonly #document: SchemaDocument;
  readonly #root: unknown;

  constructor(document: SchemaDocument) {
    this.#document = document;
    this.#root = document.root;
  }

  nameOf(schema: unknown, address: string): string {
    if (schema !== this.#root) return decodeName(address.split(/[#/]/).at(-1) ?? "");
    const title = isJsonObject(schema) ? schema["title"] : undefined;
    return isText(title) ? title : "self";
  }

  /** The location of a schema, unless it is inside one with its own `$id`. */
  placeOf(schema: unknown): JsonPath | undefined {
    const [address, root] = [schema, this.#root].map((one) =>
      isJsonObject(one) ? (one as Schema).__absolute_uri__ : undefined,
    );
    const [document, pointer = ""] = address?.split("#") ?? [];
    const names = pointer.split("/").slice(1).map(decodeName);
    return document === root ? names.map((name) => (/^\d+$/.test(name) ? Number(name) : name)) : undefined;
  }

  /** The description of a property, from its schema or from the target of its `$ref`. */
  commentOf(schema: unknown, passed: readonly unknown[] = []): string | undefined {
    // The description of the root schema describes the values, not a property.
    if (!isJsonObject(schema) || schema === this.#root || passed.includes(schema)) return undefined;
    const comment = [schema["description"], schema["title"]].find(isText);
    return comment ?? this.commentOf(resolveReference(this.#document, schema), [...passed, schema]);
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Decodes one name of an address. */
function decodeName(name: string): string {
  return decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~");
}
