import type { JsonPath } from "../../../json/json-value.ts";
import { type MemberShape, type Shape, shapesIn } from "../shape.ts";
import { intersect } from "./intersect.ts";
import { arrayKeywords, neighbours, objectKeywords, references } from "./keywords.ts";
import { isSchema, SchemaComments } from "./schema-comments.ts";
import { SchemaFault } from "./schema-fault.ts";
import { maxDepth, type ReferencedSchema, SchemaIndex } from "./schema-index.ts";
import { settle } from "./settle.ts";
import { shapeOfConstant } from "./shape-of-constant.ts";
import { unite } from "./unite.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Where a schema stands, and which schemas speak of the very same value. */
interface Way {
  readonly place: JsonPath;
  readonly same: ReadonlySet<unknown>;
}

/** What a schema of that type may look like when nothing more is said of it. */
const plain: Readonly<Record<string, Shape>> = {
  string: { kind: "string" },
  number: { kind: "number" },
  integer: { kind: "number" },
  boolean: { kind: "boolean" },
  null: { kind: "null" },
};

const tooDeep = "this schema is nested too deep";

/** A definition with more parts than this is written once and named; a smaller one is written where it is used. */
const maxInlined = 200;

/**
 * Gives the shape of the values that a JSON Schema takes: of draft 4 to 2020-12, as far as types can say it. What they
 * cannot (lengths, patterns, formats, `not`, `if`) is passed over.
 *
 * @param schema - the parsed schema
 * @param file - the path of its file, with which every error begins
 * @returns the shape, an object or a union of objects, and what its references stand for: where one stands for all of
 *   the values, the very same shape
 * @throws {SchemaFault} in one line, where the schema is broken, leads out of its file, or takes no object
 * @see https://json-schema.org/draft/2020-12/json-schema-validation
 */
export function shapeOfSchema(
  schema: unknown,
  file: string,
): { readonly shape: Shape; readonly definitions: ReadonlyMap<string, Shape> } {
  const reader = new SchemaReader(schema, file);
  try {
    return { shape: reader.readRoot(), definitions: reader.definitions };
  } catch (error) {
    throw error instanceof RangeError ? new SchemaFault(file, [], tooDeep) : error;
  }
}

class SchemaReader {
  readonly definitions = new Map<string, Shape>();
  readonly #root: unknown;
  readonly #file: string;
  readonly #index: SchemaIndex;
  /** What a `$ref` has led to and has been read: its shape, or a reference where it has a name. */
  readonly #read = new Map<unknown, Shape>();
  /** What a `$ref` has led to and is being read, and its name once it is needed. */
  readonly #open = new Map<unknown, { name: string | undefined }>();
  readonly #comments: SchemaComments;
  /** The number to go on with for each name: those before it are taken. */
  readonly #nextCounts = new Map<string, number>();

  constructor(root: unknown, file: string) {
    this.#root = root;
    this.#file = file;
    this.#index = new SchemaIndex(root, file);
    this.#comments = new SchemaComments(root, this.#index);
  }

  readRoot(): Shape {
    // As if it were referred to: what leads to `#` finds it open.
    const root: ReferencedSchema = { schema: this.#root, name: nameOfRoot(this.#root), place: [] };
    const whole = this.#readTarget(root, start);
    const objects = settle(unite(this.#objectsIn(whole)));
    if (objects.kind === "never") {
      throw this.#fault([], "this schema takes no object, and the values of a template are one");
    }
    // The very same, so that the values are known to be what the reference stands for.
    if (whole.kind === "reference" && isOfObjects(this.#resolve(whole.name))) {
      this.definitions.set(whole.name, objects);
    }
    return objects;
  }

  readonly #resolve = (name: string): Shape | undefined => this.definitions.get(name);

  #objectsIn(shape: Shape): readonly Shape[] {
    switch (shape.kind) {
      case "object":
        return [shape];
      case "unknown":
        return [anyObject];
      case "union":
        return shape.of.flatMap((one) => this.#objectsIn(one));
      case "reference":
        return this.#objectsIn(this.#resolve(shape.name) ?? anyObject);
      default:
        return [];
    }
  }

  /** Reads a schema of another value than the one it stands in: a member's, an item's. */
  #readInner(schema: unknown, place: JsonPath): Shape {
    return settle(this.#readSame(schema, { place, same: new Set() }));
  }

  #readSame(schema: unknown, way: Way): Shape {
    const { place } = way;
    if (typeof schema === "boolean") return schema ? { kind: "unknown" } : { kind: "never" };
    if (!isSchema(schema)) throw this.#fault(place, "a schema should stand here: an object, true or false");
    if (place.length > maxDepth) throw this.#fault([], tooDeep);
    const parts = [...this.#partsOf(schema, way)];
    const shape = parts.reduce<Shape>((all, part) => intersect(all, part, this.#resolve), {
      kind: "unknown",
    });
    return schema["nullable"] === true ? unite([shape, { kind: "null" }]) : shape;
  }

  /** Everything a schema says of a value; all of it holds at once. */
  *#partsOf(schema: Schema, { place, same }: Way): Iterable<Shape> {
    const at = (keyword: string): Way => ({ place: [...place, keyword], same });
    yield this.#readTypes(schema, place);
    if (schema["enum"] !== undefined) {
      yield unite(this.#list(schema["enum"], at("enum")).map(shapeOfConstant));
    }
    if (schema["const"] !== undefined) yield shapeOfConstant(schema["const"]);
    for (const keyword of references) {
      const reference = schema[keyword];
      if (reference !== undefined) yield this.#readReference(schema, reference, at(keyword));
    }
    for (const keyword of ["allOf", "anyOf", "oneOf"]) {
      if (schema[keyword] === undefined) continue;
      const all = this.#list(schema[keyword], at(keyword)).map((one, index) =>
        this.#readSame(one, { place: [...place, keyword, index], same }),
      );
      if (keyword === "allOf") yield* all;
      else yield unite(all);
    }
  }

  #readTypes(schema: Schema, place: JsonPath): Shape {
    const types = this.#typesOf(schema, place);
    if (types.length === 0) return { kind: "unknown" };
    return unite(
      types.map((type) => {
        if (type === "object") return this.#readObject(schema, place);
        return type === "array" ? this.#readArray(schema, place) : (plain[type] ?? { kind: "never" });
      }),
    );
  }

  #typesOf(schema: Schema, place: JsonPath): readonly string[] {
    const { type } = schema;
    if (type === undefined) {
      const has = (keyword: string) => Object.hasOwn(schema, keyword);
      return [...(objectKeywords.some(has) ? ["object"] : []), ...(arrayKeywords.some(has) ? ["array"] : [])];
    }
    const types: readonly unknown[] = Array.isArray(type) ? type : [type];
    const known = types.filter(
      (one): one is string =>
        typeof one === "string" && (one === "object" || one === "array" || Object.hasOwn(plain, one)),
    );
    if (known.length === types.length && known.length > 0) return known;
    throw this.#fault(
      [...place, "type"],
      "JSON Schema knows no such type; it has string, number, integer, boolean, null, object and array",
    );
  }

  #readObject(schema: Schema, place: JsonPath): Shape {
    const members = new Map<string, MemberShape>();
    const required = new Set(
      schema["required"] === undefined
        ? []
        : this.#list(schema["required"], { place: [...place, "required"], same: new Set() }),
    );
    const others = this.#readOthers(schema, place);
    for (const [name, inner] of this.#map(schema, "properties", place)) {
      const shape = this.#readInner(inner, [...place, "properties", name]);
      // A schema of its own may fill it in; whoever has to give it could leave it out all the same.
      const isOptional = !required.has(name) || (isSchema(inner) && Object.hasOwn(inner, "default"));
      if (shape.kind === "never" && isOptional) continue;
      members.set(name, { shape, isOptional, comment: this.#comments.of(inner) });
    }
    for (const name of required) {
      if (typeof name !== "string" || members.has(name)) continue;
      const shape: Shape = others === undefined || others.kind === "never" ? { kind: "unknown" } : others;
      members.set(name, { shape, isOptional: false, comment: undefined });
    }
    const isImpossible = [...members.values()].some(({ shape }) => shape.kind === "never");
    return isImpossible ? { kind: "never" } : { kind: "object", members, others };
  }

  /** What members of other names look like: `never` where there may be none, nothing where the schema does not say. */
  #readOthers(schema: Schema, place: JsonPath): Shape | undefined {
    const patterns = [...this.#map(schema, "patternProperties", place)].map(([pattern, inner]) =>
      this.#readInner(inner, [...place, "patternProperties", pattern]),
    );
    const keyword = ["additionalProperties", "unevaluatedProperties"].find(
      (name) => schema[name] !== undefined,
    );
    if (keyword === undefined) return patterns.length === 0 ? undefined : unite(patterns);
    const rest = this.#readInner(schema[keyword], [...place, keyword]);
    const isNamedElsewhere =
      keyword === "unevaluatedProperties" && neighbours.some((one) => Object.hasOwn(schema, one));
    // Of what is left over once the neighbours have named theirs, a type can only say whether there is any.
    const others: Shape = isNamedElsewhere && rest.kind !== "never" ? { kind: "unknown" } : rest;
    return unite([...patterns, others]);
  }

  #readArray(schema: Schema, place: JsonPath): Shape {
    const { items, prefixItems, additionalItems } = schema;
    const hasList = prefixItems === undefined && Array.isArray(items);
    const [keyword, list] = hasList ? ["items", items] : ["prefixItems", prefixItems];
    const [restKeyword, rest] = hasList ? ["additionalItems", additionalItems] : ["items", items];
    const restShape = rest === undefined ? undefined : this.#readInner(rest, [...place, restKeyword]);
    if (list === undefined) return { kind: "array", items: restShape ?? { kind: "unknown" } };
    const shapes = this.#list(list, { place: [...place, keyword], same: new Set() }).map((one, index) =>
      this.#readInner(one, [...place, keyword, index]),
    );
    return { kind: "tuple", items: shapes, rest: restShape?.kind === "never" ? undefined : restShape };
  }

  #readReference(schema: Schema, reference: unknown, way: Way): Shape {
    if (typeof reference !== "string") throw this.#fault(way.place, "a text should stand here");
    const target = this.#index.find(reference, schema);
    if (target === undefined) {
      throw this.#fault(
        way.place,
        reference.startsWith("#")
          ? "this leads to nothing in this schema"
          : "this leads out of the file, and nothing is fetched; move what it leads to into $defs",
      );
    }
    return this.#readTarget(target, way);
  }

  #readTarget({ schema, name, place }: ReferencedSchema, { place: from, same }: Way): Shape {
    if (same.has(schema)) throw this.#fault(from, "this leads back to itself for ever");
    const known = this.#read.get(schema);
    if (known) return known;
    const open = this.#open.get(schema);
    if (open) {
      open.name ??= this.#freeName(name);
      return { kind: "reference", name: open.name };
    }
    const opened: { name: string | undefined } = { name: undefined };
    this.#open.set(schema, opened);
    const found = this.#readSame(schema, { place, same: new Set([...same, schema]) });
    this.#open.delete(schema);
    if (schema !== this.#root && opened.name === undefined && shapesIn(found).length > maxInlined) {
      opened.name = this.#freeName(name);
    }
    const shape: Shape = opened.name === undefined ? found : { kind: "reference", name: opened.name };
    if (opened.name !== undefined) this.definitions.set(opened.name, settle(found));
    this.#read.set(schema, shape);
    return shape;
  }

  #freeName(wanted: string): string {
    const taken = new Set([...this.#open.values()].map(({ name }) => name));
    let count = this.#nextCounts.get(wanted) ?? 1;
    let name = count === 1 ? wanted : `${wanted}${count}`;
    while (taken.has(name) || this.definitions.has(name)) name = `${wanted}${++count}`;
    this.#nextCounts.set(wanted, count);
    return name;
  }

  #list(value: unknown, { place }: Way): readonly unknown[] {
    if (Array.isArray(value)) return value;
    throw this.#fault(place, "a list should stand here");
  }

  #map(schema: Schema, keyword: string, place: JsonPath): readonly (readonly [string, unknown])[] {
    const value = schema[keyword];
    if (value === undefined) return [];
    if (isSchema(value)) return Object.entries(value);
    throw this.#fault([...place, keyword], "an object of schemas should stand here");
  }

  #fault(place: JsonPath, reason: string): SchemaFault {
    return new SchemaFault(this.#file, place, reason);
  }
}

const anyObject: Shape = { kind: "object", members: new Map(), others: undefined };

const start: Way = { place: [], same: new Set() };

function isOfObjects(shape: Shape | undefined): boolean {
  return shape?.kind === "union" ? shape.of.every(({ kind }) => kind === "object") : shape?.kind === "object";
}

function nameOfRoot(root: unknown): string {
  const { title } = (root ?? {}) as { readonly title?: unknown };
  return typeof title === "string" && title !== "" ? title : "self";
}
