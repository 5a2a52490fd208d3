import type { Schema } from "@cfworker/json-schema";
import { ConfigurationError, type StandardSchemaV1, type Template, template, ValuesError } from "../index.ts";
import { describeThrown } from "../json/describe-thrown.ts";
import { validateJson } from "../json/json-schema.ts";
import { checkValues } from "../request/schema.ts";
import type { Order } from "../service/endpoint.ts";
import { invalidValues } from "../service/invalid-values.ts";
import { Problem, unknownTemplate } from "../service/problem.ts";

/** The templates that a fake service has; without a list, any. */
export class KnownTemplates {
  readonly #templates: Map<string, Template> | undefined;

  /** @throws {ConfigurationError} for what is neither a uid nor a template, for what can be no uid, and for one that is there twice */
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

  /** @throws {ConfigurationError} for a uid that no call can come for */
  require(uid: string): void {
    if (this.#templates && !this.#templates.has(uid)) {
      throw new ConfigurationError(
        `This fake service has no template ${JSON.stringify(uid)}. It has: ${this.#names()}.`,
      );
    }
  }

  /**
   * Checks a call as the service would.
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
      const checkedBy = "by its schema in `templates` of fakeService";
      throw invalidValues(uid, error.issues, { checkedBy, separator: ": " });
    }
  }

  #names(): string {
    return [...(this.#templates?.keys() ?? [])].join(", ") || "none";
  }
}

function asTemplate(entry: unknown, index: number): Template {
  if (typeof entry === "string") return template(entry);
  const { uid, schema } = (entry ?? {}) as Partial<Template>;
  if (typeof uid === "string") return { uid, schema };
  throw new ConfigurationError(
    `Expected \`templates[${index}]\` to be a uid, or a template that \`template()\` made, got ${entry === null ? "null" : typeof entry}.`,
  );
}

/** What some libraries tell of their schemas beyond Standard Schema: https://standardschema.dev/json-schema */
interface Describing {
  readonly jsonSchema?: { output(options: object): Record<string, unknown> };
}

/**
 * Whether values look like what a schema gives. What arrives is that, not what the schema takes: where it changes types, it
 * refuses its own output.
 */
function isOutputOf(schema: StandardSchemaV1, values: unknown): boolean {
  const { jsonSchema } = schema["~standard"] as Describing;
  if (!jsonSchema) return false;
  try {
    const output: Schema = jsonSchema.output({
      target: "draft-2020-12",
      // What zod cannot describe, such as what a transform gives, may be anything.
      libraryOptions: { unrepresentable: "any" },
    });
    return validateJson(values, output, "2020-12").valid;
  } catch {
    // The library cannot describe it, so nothing is known against the values.
    return true;
  }
}
