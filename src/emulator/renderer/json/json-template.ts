import { parseJson } from "../../../input/json-text.ts";
import type { ValueIssue } from "../protocol.ts";
import { TemplateMistake } from "../template-mistake.ts";
import { compileDefinition } from "./compile-definition.ts";
import { expand, type Filling } from "./elements.ts";
import { faultAt, isJsonObject, isTooDeep, tooDeep } from "./place.ts";
import { parseSchema } from "./schema/json-schema.ts";
import { IssueList, scopeOf } from "./scope.ts";

/** A template that was written as JSON: a pdfmake document definition with placeholders in its texts. */
export interface JsonTemplate {
  /** The file's own `sample`, else made up: a text for each placeholder, one item for each `$each`. */
  readonly sample: Record<string, unknown>;
  /**
   * Puts values in.
   *
   * @param values - one JSON object; left as it is
   * @returns a fresh definition, because pdfmake writes into it; or what is wrong with the values, at least one thing
   */
  fill(
    values: Record<string, unknown>,
  ):
    | { readonly definition: object; readonly issues?: undefined }
    | { readonly issues: readonly ValueIssue[] };
}

/** A template file; all but the first two are members of pdfmake's definition. */
interface TemplateJson {
  readonly schema?: unknown;
  readonly sample?: unknown;
  readonly [name: string]: unknown;
}

/**
 * Reads a template file of JSON: `{{customer.name}}` in its texts stands for a value, `$each` repeats an element of an array,
 * `$if` shows an element or not. Beside the members of pdfmake's definition may stand `schema`, a JSON Schema of the
 * values, and `sample`, values to try it with.
 *
 * @param text - the content of the file
 * @param file - the name of the file, with which every error begins
 * @throws {TemplateMistake} in one line that names the place, where the text is no JSON or no template.
 * @see https://pdfmake.github.io/docs/0.3/document-definition-object/
 */
export function parseJsonTemplate(text: string, file: string): JsonTemplate {
  const json = jsonOf(text, file);
  if (!isJsonObject(json)) {
    throw faultAt(file, [], 'must be one JSON object, such as {"content":["Invoice {{number}}"]}.');
  }
  if (!Object.hasOwn(json, "content")) {
    throw faultAt(file, [], "has no `content`. Put what the document shows into a member of that name.");
  }
  for (const [name, member] of Object.entries(json)) {
    if (isTooDeep(member)) throw faultAt(file, [name], `${tooDeep}. Flatten it.`);
  }
  const { schema, sample, ...definition }: TemplateJson = json;
  const check = schema === undefined ? () => [] : parseSchema(schema, file);
  if (sample !== undefined && !isJsonObject(sample)) {
    throw faultAt(file, ["sample"], 'must be an object of values, such as {"number":"2026-001"}.');
  }
  const { root, shape } = compileDefinition(definition, file);
  return {
    sample: sample ?? shape.sampleObject(),
    fill(values) {
      const refused = check(values);
      if (refused.length > 0) return { issues: refused };
      const filling: Filling = { issues: new IssueList(), page: 1, pages: 1 };
      const definition = expand(root, scopeOf(values), filling) as object;
      const issues = filling.issues.all;
      return issues.length > 0 ? { issues } : { definition };
    },
  };
}

function jsonOf(text: string, file: string): unknown {
  try {
    return parseJson(text, file);
  } catch (error) {
    throw error instanceof SyntaxError ? new TemplateMistake(error.message) : error;
  }
}
