import { relative, sep } from "node:path";
import { isJsonObject, type JsonPath, maxNesting } from "../../json/json-value.ts";
import { SchemaFault } from "../../template-types/json-schema/schema-fault.ts";
import { shapeOfSchema } from "../../template-types/json-schema/shape-of-schema.ts";
import { Samples } from "../../template-types/samples.ts";
import type { TemplateShape } from "../../template-types/shape.ts";
import { Misuse } from "../failure.ts";
import type { SampleFile } from "./sample-file.ts";

/** More kinds of samples than these are not compared with each other. */
const maxKinds = 64;

/** What was found of every template, by uid. */
export type Collection = Map<string, TemplateSamples>;

/** Returns what was found of a template, to which more can be added. */
export function samplesOf(collection: Collection, uid: string): TemplateSamples {
  const samples = collection.get(uid) ?? new TemplateSamples(uid);
  collection.set(uid, samples);
  return samples;
}

/** Everything that was found of one template. */
export class TemplateSamples {
  readonly #uid: string;
  readonly #samples = new Samples();
  readonly #files = new Set<SampleFile>();
  /** What a schema says, which is everything, and the file it stands in. */
  #schema: (Pick<TemplateShape, "shape" | "definitions"> & { readonly file: SampleFile }) | undefined;
  /** The properties of samples, by their names, and where such a sample was seen first. */
  readonly #kinds = new Map<string, { readonly names: readonly string[]; readonly place: string }>();

  constructor(uid: string) {
    this.#uid = uid;
  }

  /**
   * Notes one sample.
   *
   * @param locate - tells where it stands, which may take a while
   * @param label - what to call it in a warning, if not by its place
   * @throws {Misuse} when it is no object, or nested too deep
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
      if (!(error instanceof RangeError)) throw error;
      throw new Misuse(`${locate()}: this sample is nested deeper than ${maxNesting} levels. Flatten it.`);
    }
    this.#files.add(file);
    if (this.#kinds.size === maxKinds) return;
    const names = Object.keys(value);
    const key = names.join("\n");
    // A sample without properties does not conflict with others.
    if (names.length > 0 && !this.#kinds.has(key)) this.#kinds.set(key, { names, place: label ?? locate() });
  }

  /**
   * Notes a JSON Schema, which says everything.
   *
   * @param locate - tells where a part of it stands, if its path alone does not
   * @throws {Misuse} when it is none that can be read, or there is one already
   */
  addSchema(schema: unknown, file: SampleFile, locate?: (path: JsonPath) => string): void {
    const { name } = file;
    if (this.#schema) {
      throw new Misuse(
        `${name}: a schema of the template ${this.#uid} stands in ${this.#schema.file.name}, too. Name only one of them.`,
      );
    }
    try {
      this.#schema = { file, ...shapeOfSchema(schema, name) };
    } catch (error) {
      if (!(error instanceof SchemaFault)) throw error;
      const found = locate ? `${locate(error.place)}: ${error.reason}` : `${name}, ${error.message}`;
      throw new Misuse(`${found}.`);
    }
  }

  /**
   * What is known in the end.
   *
   * @param folder - the absolute path of the folder from which files are named: alike on every machine
   */
  describe(folder: string): TemplateShape {
    const { shape, definitions } = this.#schema ?? { shape: this.#samples.shape(), definitions: new Map() };
    const files = this.#schema ? [this.#schema.file] : [...this.#files];
    const sources = files.map(({ path }) => relative(folder, path).split(sep).join("/"));
    return { uid: this.#uid, shape, definitions, sources };
  }

  /** What makes one doubt that it is right: one line each. */
  warnings(): string[] {
    if (this.#schema) {
      if (this.#files.size === 0) return [];
      const { name } = this.#schema.file;
      return [`${this.#uid}: its schema ${name} describes all values, so its samples were ignored.`];
    }
    const disagreements = this.#samples.disagreements().map(({ path, kinds }) => {
      const what = `samples disagree at ${path}: ${kinds.join(", ")}`;
      return `${this.#uid}: ${what}. The types allow all of them.`;
    });
    return [...disagreements, ...this.#strangers()];
  }

  #strangers(): string[] {
    const kinds = [...this.#kinds.values()];
    for (const [index, one] of kinds.entries()) {
      const other = kinds
        .slice(index + 1)
        .find(({ names }) => !names.some((name) => one.names.includes(name)));
      if (!other) continue;
      const what = `the samples ${one.place} and ${other.place} share no property`;
      return [`${this.#uid}: ${what}. Do both belong to this template?`];
    }
    return [];
  }
}
