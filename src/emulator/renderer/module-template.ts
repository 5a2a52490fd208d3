import { pathToFileURL } from "node:url";
import { isStandardSchema, issuePath, type StandardSchemaV1 } from "../../request/schema.ts";
import type { ValueIssue } from "../../service/invalid-values.ts";
import { withoutValues } from "../../service/without-values.ts";
import { IssueList } from "./issue-list.ts";
import type { TemplateSource } from "./protocol.ts";
import type { Template } from "./template.ts";
import { TemplateMistake } from "./template-mistake.ts";

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
export async function loadModuleTemplate({ file, path }: TemplateSource): Promise<Template> {
  const module: { readonly default?: unknown; readonly schema?: unknown; readonly sample?: unknown } =
    await import(/* @vite-ignore */ pathToFileURL(path).href).catch((cause: unknown) => {
      throw file.endsWith(".ts") && isUnknownExtension(cause) ? needsNewerNode(file) : cause;
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
): Promise<
  { readonly value: unknown; readonly issues?: undefined } | { readonly issues: readonly ValueIssue[] }
> {
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
  let json: unknown;
  try {
    json = JSON.parse(JSON.stringify(sample));
  } catch {
    // Told below, together with what is no object.
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw new TemplateMistake("its `sample` is no object of values that JSON can carry");
  }
  return json as Record<string, unknown>;
}

/** Nodes before 22.18 load no TypeScript. */
function isUnknownExtension(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "ERR_UNKNOWN_FILE_EXTENSION";
}

function needsNewerNode(file: string): TemplateMistake {
  return new TemplateMistake(
    `${process.version} loads no TypeScript. Run the emulator with Node 22.18 or later, or write ${file.replace(/\.ts$/, ".mjs")}`,
  );
}
