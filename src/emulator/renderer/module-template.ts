import { pathToFileURL } from "node:url";
import type { StandardSchemaV1 } from "../../index.ts";
import { withoutValues } from "../../server/without-values.ts";
import type { TemplateSource, ValueIssue } from "./protocol.ts";
import { TemplateMistake } from "./template-mistake.ts";

/**
 * What a template file `invoice.mjs` exports by default: turns the values of a call into a pdfmake document definition.
 *
 * @see https://pdfmake.github.io/docs/0.3/document-definition-object/
 */
export type TemplateFunction = (values: Record<string, unknown>) => object | Promise<object>;

/** A document definition, or why there is none. */
export type Filled =
  | { readonly definition: object; readonly issues?: undefined }
  | { readonly issues: readonly ValueIssue[] };

/** A template that is ready to be filled with values. */
export interface Template {
  /** Values to try it with. */
  readonly sample: Record<string, unknown>;
  /** A fresh definition each time, because pdfmake writes into it. */
  fill(values: Record<string, unknown>): Filled | Promise<Filled>;
}

/**
 * Loads a template that is a module: its default export makes the definition, and beside it may stand `schema`, a Standard
 * Schema whose output the function gets, and `sample`, values to try it with.
 *
 * @throws {Error} when the module cannot be loaded, or exports something else.
 */
export async function loadModuleTemplate({ file, path }: TemplateSource): Promise<Template> {
  const module: { readonly default?: unknown; readonly schema?: unknown; readonly sample?: unknown } =
    await import(/* @vite-ignore */ pathToFileURL(path).href).catch((cause: unknown) => {
      throw typesUnknown(cause) ? needsNewerNode(file) : cause;
    });
  const { default: template, schema, sample = {} } = module;
  if (typeof template !== "function") {
    throw new TemplateMistake(
      `its default export is no function (found: ${typeof template}). Write: export default (values) => ({ content: [ … ] }); ` +
        "what templates share belongs into a sub-folder",
    );
  }
  if (schema !== undefined && !isStandardSchema(schema)) {
    throw new TemplateMistake(
      "its `schema` is no Standard Schema. Export one of zod, valibot, arktype or their like",
    );
  }
  if (typeof sample !== "object" || sample === null || Array.isArray(sample)) {
    throw new TemplateMistake("its `sample` is no object of values");
  }
  return {
    sample: sample as Record<string, unknown>,
    async fill(values) {
      const checked = await check(schema, values);
      if (checked.issues) return checked;
      const definition: unknown = await template(checked.value);
      if (typeof definition !== "object" || definition === null) {
        const found = definition === null ? "null" : typeof definition;
        throw new TemplateMistake(`its function returned ${found}. Return a pdfmake document definition`);
      }
      return { definition };
    },
  };
}

async function check(
  schema: StandardSchemaV1 | undefined,
  value: unknown,
): Promise<{ readonly value: unknown; readonly issues?: undefined } | { readonly issues: ValueIssue[] }> {
  const result = (await schema?.["~standard"].validate(value)) ?? { value };
  if (!result.issues) return result;
  // A schema of the user's may quote what it refuses.
  return {
    issues: result.issues.map(({ path = [], message }) => ({
      path: path.map(keyOf),
      message: withoutValues(message, value),
    })),
  };
}

function keyOf(segment: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof segment === "object" ? segment.key : segment;
  return typeof key === "number" ? key : String(key);
}

function isStandardSchema(schema: unknown): schema is StandardSchemaV1 {
  const standard = (schema as Partial<StandardSchemaV1> | null)?.["~standard"];
  return typeof standard?.validate === "function";
}

/** Nodes before 22.18 load no TypeScript. */
function typesUnknown(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "ERR_UNKNOWN_FILE_EXTENSION";
}

function needsNewerNode(file: string): TemplateMistake {
  return new TemplateMistake(
    `${process.version} loads no TypeScript. Run the emulator with Node 22.18 or later, or write ${file.replace(/\.ts$/, ".mjs")}`,
  );
}
