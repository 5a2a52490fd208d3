import { relative, sep } from "node:path";
import type { ValueShape } from "../../emulator/renderer/json/sample-values.ts";
import { isInstance } from "../../errors/foreign-values.ts";
import { isJsonObject, type JsonPath, maxNesting } from "../../json/json-value.ts";
import { SchemaFault } from "../../template-types/json-schema/schema-fault.ts";
import { schemaOfShape } from "../../template-types/json-schema/schema-of-shape.ts";
import { shapeOfSchema } from "../../template-types/json-schema/shape-of-schema.ts";
import { mergeSources, type Sources } from "../../template-types/merge-shapes.ts";
import { Samples } from "../../template-types/samples.ts";
import type { Shape, TemplateShape } from "../../template-types/shape.ts";
import { Misuse } from "../failure.ts";
import type { SampleFile } from "./sample-file.ts";

/** The maximum number of kinds of samples that are compared with each other. */
const maxKinds = 64;

/** A JSON template. */
interface TemplateUsage {
  readonly file: SampleFile;
  /** Returns the location of a part of the file. */
  readonly locate: (path: JsonPath) => string;
  readonly sample: Shape;
  readonly usage: ValueShape;
}

/** The samples and schemas of every template by uid. */
export type Collection = Map<string, TemplateSamples>;

/** Returns the samples of a template, and adds an empty entry if there is none. */
export function samplesOf(collection: Collection, uid: string): TemplateSamples {
  const samples = collection.get(uid) ?? new TemplateSamples(uid);
  collection.set(uid, samples);
  return samples;
}

/** The samples and the schema of one template. */
export class TemplateSamples {
  readonly #uid: string;
  readonly #samples = new Samples();
  readonly #files = new Set<SampleFile>();
  /** The JSON template, whose sample counts even if there is a schema. */
  #template: TemplateUsage | undefined;
  /** The schema, which describes all values, and its file. */
  #schema:
    | (Pick<TemplateShape, "shape" | "definitions"> & { readonly json: unknown; readonly file: SampleFile })
    | undefined;
  /** The sets of property names in the samples, and the location of the first sample with each set. */
  readonly #kinds = new Map<string, { readonly names: readonly string[]; readonly place: string }>();

  constructor(uid: string) {
    this.#uid = uid;
  }

  /**
   * Adds a sample.
   *
   * @param locate - returns the location of the sample, which may be slow
   * @param label - the name of the sample in a warning; the default is its location
   * @throws {Misuse} if the sample is not an object, or is nested too deeply
   */
  addSample(value: unknown, file: SampleFile, locate: () => string, label?: string): void {
    if (!isJsonObject(value)) {
      const found = value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
      throw new Misuse(
        `${locate()}: this sample is ${found}. Use an object with a property for each placeholder.`,
      );
    }
    try {
      this.#samples.add(value);
    } catch (error) {
      if (!isInstance(error, RangeError)) throw error;
      throw new Misuse(`${locate()}: this sample is nested deeper than ${maxNesting} levels. Flatten it.`);
    }
    this.#files.add(file);
    if (this.#kinds.size === maxKinds) return;
    const names = Object.keys(value);
    const key = names.join("\n");
    // A sample without properties never conflicts with others.
    if (names.length > 0 && !this.#kinds.has(key)) this.#kinds.set(key, { names, place: label ?? locate() });
  }

  /**
   * Adds a JSON Schema, which replaces the samples.
   *
   * @param locate - returns the location of a part of the schema; by default, messages show its path
   * @throws {Misuse} if the schema cannot be read, or the template already has one
   */
  addSchema(schema: unknown, file: SampleFile, locate?: (path: JsonPath) => string): void {
    const { name } = file;
    if (this.#schema) {
      throw new Misuse(
        `${name}: the template ${this.#uid} already has a schema in ${this.#schema.file.name}. Pass only one of them.`,
      );
    }
    try {
      this.#schema = { json: schema, file, ...shapeOfSchema(schema, name) };
    } catch (error) {
      if (!isInstance(error, SchemaFault)) throw error;
      const found = locate ? `${locate(error.place)}: ${error.reason}` : `${name}, ${error.message}`;
      throw new Misuse(`${found}.`);
    }
  }

  /** Adds the placeholders of a JSON template, and its sample. */
  addTemplate(template: Omit<TemplateUsage, "sample">, sample: Record<string, unknown>): void {
    const samples = new Samples();
    samples.add(sample);
    this.#template = { ...template, sample: samples.shape() };
  }

  /**
   * Returns the shape of the template's values.
   *
   * @param folder - the absolute path to which the file names are relative, so that they are equal on every machine
   */
  describe(folder: string): TemplateShape {
    const { shape, definitions } = this.#merged();
    const described = [this.#schema?.file, this.#template?.file].filter((file) => file !== undefined);
    const files = new Set(this.#schema ? described : this.#files);
    const sources = [...files].map(({ path }) => relative(folder, path).split(sep).join("/"));
    return { uid: this.#uid, shape, definitions, sources };
  }

  /** Returns the JSON Schema of the template's values, and the name of its file. */
  schema(): { readonly json: unknown; readonly file: string } {
    if (this.#schema) return { json: this.#schema.json, file: this.#schema.file.name };
    const [{ name = "" } = {}] = this.#files;
    return { json: schemaOfShape(this.#merged().shape), file: name };
  }

  #merged(): Pick<TemplateShape, "shape" | "definitions"> {
    return mergeSources({ ...this.#known(), usage: this.#template?.usage.objectShape() });
  }

  /** The schema, and the samples that count. */
  #known(): Sources {
    return this.#schema
      ? { schema: this.#schema, sample: this.#template?.sample }
      : { schema: undefined, sample: this.#samples.shape() };
  }

  /** Returns one line for each reason to doubt the types. */
  warnings(): string[] {
    return [...this.#doubts(), ...this.#unknownTests()];
  }

  #unknownTests(): string[] {
    if (this.#template === undefined) return [];
    const { usage, locate } = this.#template;
    return usage.unknownTests(mergeSources(this.#known()).shape).map(({ path, place }) => {
      const what = `\`$if\` tests ${path}, which neither the schema nor the sample has`;
      return `${locate(place)}: ${what}. Correct the name, or add it to one of them.`;
    });
  }

  #doubts(): string[] {
    if (this.#schema) {
      if ([...this.#files].every((file) => file === this.#template?.file)) return [];
      const { name } = this.#schema.file;
      return [`${this.#uid}: its schema ${name} describes all values, so its samples were ignored.`];
    }
    const disagreements = this.#samples.disagreements().map(({ path, kinds }) => {
      const what = `samples disagree at ${path}: ${kinds.join(", ")}`;
      return `${this.#uid}: ${what}. The types allow all of them.`;
    });
    const nulls = this.#samples.nulls().map((path) => {
      const what = `${path} is null in every sample, so its type is unknown`;
      return `${this.#uid}: ${what}. Add a sample with a value.`;
    });
    return [...disagreements, ...nulls, ...this.#strangers()];
  }

  #strangers(): string[] {
    const kinds = [...this.#kinds.values()];
    for (const [index, one] of kinds.entries()) {
      const other = kinds
        .slice(index + 1)
        .find(({ names }) => !names.some((name) => one.names.includes(name)));
      if (!other) continue;
      const what = `the samples ${one.place} and ${other.place} share no properties`;
      return [`${this.#uid}: ${what}. Do both belong to this template?`];
    }
    return [];
  }
}
