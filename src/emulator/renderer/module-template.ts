import { pathToFileURL } from "node:url";
import { readForeign } from "../../errors/foreign-values.ts";
import { isJsonObject } from "../../json/json-value.ts";
import { isStandardSchema, issuePath, type StandardSchemaV1 } from "../../request/schema.ts";
import { withoutValues } from "../../service/without-values.ts";
import type { TemplateFile } from "../template-folder.ts";
import { IssueList } from "./issue-list.ts";
import { locateInModule } from "./module-position.ts";
import type { Template } from "./template.ts";
import { TemplateMistake } from "./template.ts";

/**
 * The default export of a template file such as `invoice.mjs`: a function that takes the values from a call
 * and returns a pdfmake document definition.
 *
 * @see https://pdfmake.github.io/docs/0.3/document-definition-object/
 */
export type TemplateFunction = (values: Record<string, unknown>) => object | Promise<object>;

/**
 * Loads a module template. Its default export creates the definition. The module may also export `sample`
 * values and a Standard Schema named `schema`. The default export then receives the output of that schema.
 *
 * @throws {Error} if the module cannot be loaded, or exports something else
 */
export async function loadModuleTemplate({ file, path }: TemplateFile): Promise<Template> {
  const module: { readonly default?: unknown; readonly schema?: unknown; readonly sample?: unknown } =
    await import(/* @vite-ignore */ pathToFileURL(path).href).catch((cause: unknown) => {
      throw explainImport(cause, file);
    });
  const { default: template, schema, sample = {} } = module;
  if (typeof template !== "function") {
    throw new TemplateMistake(
      `its default export is not a function but ${typeof template}. Write: export default (values) => ({ content: [ … ] }); ` +
        "put shared code in a subfolder",
    );
  }
  if (schema !== undefined && !isStandardSchema(schema)) {
    throw new TemplateMistake(
      "its `schema` is not a Standard Schema. Export one from zod, valibot, arktype or a similar library",
      undefined,
      "schema",
    );
  }
  return {
    sample: asJsonObject(sample),
    schema: jsonSchemaOf(schema),
    hasFunctions: true,
    locate: (part) => locateInModule(path, part),
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

/** Returns the JSON Schema of a Standard Schema, if its library supports it. */
function jsonSchemaOf(schema: StandardSchemaV1 | undefined): object | undefined {
  const standard = schema?.["~standard"] as JsonSchemaConverter | undefined;
  try {
    return asJsonObject(standard?.jsonSchema?.input?.({ target: "draft-2020-12" }));
  } catch {
    // Some schemas, for example with a transform, have none.
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
  // A user's schema may quote rejected values.
  const safe = withoutValues(value);
  for (const issue of result.issues) {
    if (issues.isFull) break;
    issues.add({ path: issuePath(issue), message: safe(issue.message) });
  }
  return { issues: issues.all };
}

/** Returns the sample as JSON values, which can be transferred and sent. */
function asJsonObject(sample: unknown): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(JSON.stringify(sample));
    if (isJsonObject(json)) return json;
  } catch {
    // Rejected below, like values other than objects.
  }
  throw new TemplateMistake("its `sample` is not an object that JSON can represent", undefined, "sample");
}

/** Versions of Node before 22.18 do not load TypeScript, and report an unknown extension. */
function explainImport(cause: unknown, file: string): unknown {
  if (readForeign(cause, "code") !== "ERR_UNKNOWN_FILE_EXTENSION" || !file.endsWith(".ts")) return cause;
  return new TemplateMistake(
    `${process.version} does not load TypeScript. Run the emulator with Node 22.18 or later, or write ${file.replace(/\.ts$/, ".mjs")}`,
  );
}
