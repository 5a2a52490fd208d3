import type { Schema } from "@cfworker/json-schema";
import { describeThrown } from "../errors/foreign-values.ts";
import { ConfigurationError, type StandardSchemaV1, type Template, template, ValuesError } from "../index.ts";
import { validateJson } from "../json/json-schema.ts";
import { checkValues } from "../request/schema.ts";
import { ownOptions } from "../runtime/own-options.ts";
import type { Order } from "../service/endpoint.ts";
import { invalidValues } from "../service/invalid-values.ts";
import { Problem, unknownTemplate } from "../service/problem.ts";

/** The templates of a fake service; all templates if there is no list. */
export class KnownTemplates {
  readonly #templates: Map<string, Template> | undefined;

  /** @throws {ConfigurationError} if an entry is neither a valid uid nor a template, or occurs twice */
  constructor(templates: readonly (Template | string)[] | undefined) {
    if (templates === undefined) return;
    this.#templates = new Map();
    for (const [index, entry] of templates.entries()) {
      const known = asTemplate(entry, index);
      if (this.#templates.has(known.uid)) {
        throw new ConfigurationError(`The template ${JSON.stringify(known.uid)} is in \`templates\` twice.`);
      }
      this.#templates.set(known.uid, known);
    }
  }

  /** @throws {ConfigurationError} for a uid that the service does not have */
  require(uid: string): void {
    if (this.#templates && !this.#templates.has(uid)) {
      throw new ConfigurationError(
        `This fake service has no template ${JSON.stringify(uid)}. It has: ${this.#names()}.`,
      );
    }
  }

  /**
   * Checks a call like the service.
   *
   * @throws {Problem} the refusal: 404 or 422
   */
  async check({ uid, values }: Order): Promise<void> {
    if (!this.#templates) return;
    const known = this.#templates.get(uid);
    if (!known) throw unknownTemplate(uid, `This fake service has these templates: ${this.#names()}.`);
    try {
      await checkValues(known, values);
    } catch (error) {
      if (!ValuesError.is(error)) throw new Problem(500, describeThrown(error));
      if (known.schema && isOutputOf(known.schema, values)) return;
      const checkedBy = "by its schema in fakeService({ templates })";
      throw invalidValues(uid, error.issues, { checkedBy, separator: ": " });
    }
  }

  #names(): string {
    return [...(this.#templates?.keys() ?? [])].join(", ") || "none";
  }
}

function asTemplate(entry: unknown, index: number): Template {
  if (typeof entry === "string") return template(entry);
  const { uid, schema } = ownOptions<Partial<Template>>(Object(entry), ["uid", "schema"]);
  if (typeof uid === "string") return { uid, schema };
  throw new ConfigurationError(
    `Expected \`templates[${index}]\` to be a uid or a \`template()\`, got ${entry === null ? "null" : typeof entry}.`,
  );
}

/** The JSON Schema extension of some libraries: https://standardschema.dev/json-schema */
interface Describing {
  readonly jsonSchema?: { output(options: object): Record<string, unknown> };
}

/**
 * Whether values match the output of a schema. Requests contain the output, and a schema that transforms values rejects its own
 * output.
 */
function isOutputOf(schema: StandardSchemaV1, values: unknown): boolean {
  const { jsonSchema } = schema["~standard"] as Describing;
  if (!jsonSchema) return false;
  try {
    const output: Schema = jsonSchema.output({
      target: "draft-2020-12",
      // Types that zod cannot describe, such as the result of a transform, may be anything.
      libraryOptions: { unrepresentable: "any" },
    });
    return validateJson(values, output, "2020-12").valid;
  } catch {
    // The library cannot describe the output, so the values are accepted.
    return true;
  }
}
