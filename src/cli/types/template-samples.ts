import { Misuse } from "../failure.ts";
import { shapeOfSchema } from "../template-types/json-schema/shape-of-schema.ts";
import { Samples } from "../template-types/samples.ts";
import type { Shape, TemplateShape } from "../template-types/shape.ts";

/** What a schema says, and where it stands. */
interface FoundSchema {
  readonly name: string;
  readonly shape: Shape;
  readonly definitions: ReadonlyMap<string, Shape>;
}

/** More kinds of samples than these are not compared with each other. */
const maxKinds = 64;

/** Everything that was found of one template. */
export class TemplateSamples {
  readonly uid: string;
  readonly #samples = new Samples();
  #schema: FoundSchema | undefined;
  readonly #sampleSources = new Set<string>();
  #schemaSource = "";
  /** The members of samples, by their names, and where such a sample was seen first. */
  readonly #kinds = new Map<string, { readonly names: readonly string[]; readonly place: string }>();

  constructor(uid: string) {
    this.uid = uid;
  }

  /**
   * Notes one sample.
   *
   * @param locate - tells where it stands, for messages
   * @param source - its file, for the comment
   */
  addSample(values: Record<string, unknown>, locate: () => string, source: string): void {
    this.#samples.add(values);
    this.#sampleSources.add(source);
    if (this.#kinds.size === maxKinds) return;
    const names = Object.keys(values);
    const key = names.join("\n");
    // What has no member at all contradicts nobody.
    if (names.length > 0 && !this.#kinds.has(key)) this.#kinds.set(key, { names, place: locate() });
  }

  /**
   * Notes a JSON Schema, which says everything.
   *
   * @param name - its file, for messages
   * @param source - its file, for the comment
   * @throws {SchemaFault} when it is none that can be read
   * @throws {Misuse} when there is one already
   */
  addSchema(schema: unknown, name: string, source: string): void {
    if (this.#schema) {
      throw new Misuse(
        `${name}: a schema of the template ${this.uid} stands in ${this.#schema.name}, too. Name only one of them.`,
      );
    }
    this.#schema = { name, ...shapeOfSchema(schema, name) };
    this.#schemaSource = source;
  }

  /** What is known in the end. */
  describe(): TemplateShape {
    if (this.#schema) {
      const { shape, definitions } = this.#schema;
      return { uid: this.uid, shape, definitions, sources: [this.#schemaSource] };
    }
    const sources = [...this.#sampleSources];
    return { uid: this.uid, shape: this.#samples.shape(), definitions: new Map(), sources };
  }

  /** What makes one doubt that it is right: one line each. */
  warnings(): string[] {
    if (this.#schema) {
      const [sample] = this.#sampleSources;
      const what = `${this.uid}: its schema ${this.#schema.name} says everything`;
      return sample === undefined ? [] : [`${what}; its samples were not looked at.`];
    }
    return [
      ...this.#samples
        .disagreements()
        .map(
          ({ path, kinds }) =>
            `${this.uid}: samples disagree at ${path}: ${kinds.join(", ")}. Any of them is allowed.`,
        ),
      ...this.#strangers(),
    ];
  }

  #strangers(): string[] {
    const kinds = [...this.#kinds.values()];
    for (const [index, one] of kinds.entries()) {
      const names = new Set(one.names);
      const other = kinds.slice(index + 1).find((kind) => !kind.names.some((name) => names.has(name)));
      if (other) {
        return [
          `${this.uid}: the samples ${one.place} and ${other.place} share no member. Are both of this template?`,
        ];
      }
    }
    return [];
  }
}
