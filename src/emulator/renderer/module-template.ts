import { pathToFileURL } from "node:url";
import { isJsonObject } from "../../json/json-value.ts";
import { isStandardSchema, issuePath, type StandardSchemaV1 } from "../../request/schema.ts";
import { withoutValues } from "../../service/without-values.ts";
import type { TemplateFile } from "../template-folder.ts";
import { IssueList } from "./issue-list.ts";
import type { Template } from "./template.ts";
import { TemplateMistake } from "./template.ts";

/**
 * What a template file `invoice.mjs` exports by default: turns the values of a call into a pdfmake document definition.
 *
 * @see https://pdfmake.github.io/docs/0.3/document-definition-object/
 */
export type TemplateFunction = (values: Record<string, unknown>) => object | Promise<object>;

/**
 * Loads a template that is a module: its default export makes the definition, and beside it may stand `schema`, a Standard
 * Schema whose output the function gets, and `sample`, values to try it with.
 *
 * @throws {Error} when the module cannot be loaded, or exports something else.
 */
export async function loadModuleTemplate({ file, path }: TemplateFile): Promise<Template> {
  const module: { readonly default?: unknown; readonly schema?: unknown; readonly sample?: unknown } =
    await import(/* @vite-ignore */ pathToFileURL(path).href).catch((cause: unknown) => {
      throw explainImport(cause, file);
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
  return {
    sample: asJsonObject(sample),
    schema: jsonSchemaOf(schema),
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

/** The JSON Schema of a Standard Schema, if its library writes one. */
function jsonSchemaOf(schema: StandardSchemaV1 | undefined): object | undefined {
  const standard = schema?.["~standard"] as JsonSchemaConverter | undefined;
  try {
    return asJsonObject(standard?.jsonSchema?.input?.({ target: "draft-2020-12" }));
  } catch {
    // Some schemas, such as those with a transform, have none.
    return undefined;
  }
}

/** @see https://standardschema.dev/json-schema */
interface JsonSchemaConverter {
  readonly jsonSchema?: { input?(options: { readonly target: "draft-2020-12" }): unknown };
}

async function check(schema: StandardSchemaV1 | undefined, value: unknown) {
  const result = (await schema?.["~standard"].validate(value)) ?? { value };
  if (!result.issues) return result;
  const issues = new IssueList();
  // A schema of the user's may quote what it refuses.
  const safe = withoutValues(value);
  for (const issue of result.issues) {
    if (issues.isFull) break;
    issues.add({ path: issuePath(issue), message: safe(issue.message) });
  }
  return { issues: issues.all };
}

/** The sample as the thread can hand it over, and a request can carry it. */
function asJsonObject(sample: unknown): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(JSON.stringify(sample));
    if (isJsonObject(json)) return json;
  } catch {
    // Refused together with what is not an object.
  }
  throw new TemplateMistake("its `sample` is no object of values that JSON can carry");
}

/** Nodes before 22.18 load no TypeScript, and say that they do not know the extension. */
function explainImport(cause: unknown, file: string): unknown {
  const { code } = Object(cause) as NodeJS.ErrnoException;
  if (code !== "ERR_UNKNOWN_FILE_EXTENSION" || !file.endsWith(".ts")) return cause;
  return new TemplateMistake(
    `${process.version} loads no TypeScript. Run the emulator with Node 22.18 or later, or write ${file.replace(/\.ts$/, ".mjs")}`,
  );
}
