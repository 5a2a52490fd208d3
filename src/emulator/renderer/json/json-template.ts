import { parseJson } from "../../../json/json-text.ts";
import { isDeeperThan, isJsonObject, maxNesting, tooDeep } from "../../../json/json-value.ts";
import { NodeBudget } from "../definition-size.ts";
import { IssueList } from "../issue-list.ts";
import type { Filled, Template } from "../template.ts";
import { mistakeAt, TemplateMistake } from "../template.ts";
import { compileDefinition } from "./compile-definition.ts";
import type { Filling } from "./compile-text.ts";
import type { ValueShape } from "./sample-values.ts";
import { parseSchema } from "./schema/json-schema.ts";

/** A JSON template, which is filled synchronously. */
export interface JsonTemplate extends Template {
  readonly usage: ValueShape;
  fill(values: Record<string, unknown>, maxNodes?: number): Filled;
}

/**
 * Parses a JSON template file. Strings contain placeholders such as `{{customer.name}}`, `$each` repeats an
 * element for each item of an array, and `$if` shows an element conditionally. The file has the properties of
 * a pdfmake definition, and optionally `schema` (a JSON Schema for the values), `sample` (values to try the
 * template with) and `locale` (for formats such as `{{total | currency "GBP"}}`).
 *
 * @throws {TemplateMistake} if the text is not JSON or not a template. The message is one line that names the location.
 */
export function parseJsonTemplate(text: string, file: string): JsonTemplate {
  const json = jsonOf(text, file);
  if (!isJsonObject(json)) {
    throw mistakeAt(file, [], 'must be one JSON object, such as {"content":["Invoice {{number}}"]}.');
  }
  if (!Object.hasOwn(json, "content")) {
    throw mistakeAt(file, [], "has no `content`. Add a `content` property with the content of the document.");
  }
  for (const [name, member] of Object.entries(json)) {
    if (isDeeperThan(member, maxNesting)) throw mistakeAt(file, [name], `${tooDeep}. Flatten it.`);
  }
  const { schema, sample, locale = defaultLocale, ...definition } = json;
  const check = schema === undefined ? () => [] : parseSchema(schema, file);
  if (sample !== undefined && !isJsonObject(sample)) {
    throw mistakeAt(file, ["sample"], 'must be an object with values, such as {"number":"2026-001"}.');
  }
  if (typeof locale !== "string" || !isLocale(locale)) {
    throw mistakeAt(file, ["locale"], `must be a locale, such as "${defaultLocale}" or "de-DE".`);
  }
  const { fill, shape } = compileDefinition(definition, file, locale);
  return {
    sample: sample ?? shape.sampleObject(),
    schema: isJsonObject(schema) ? schema : undefined,
    usage: shape,
    fill(values, maxNodes = Number.POSITIVE_INFINITY) {
      const refused = check(values);
      if (refused.length > 0) return { issues: refused };
      const filling: Filling = {
        issues: new IssueList(),
        budget: new NodeBudget(maxNodes),
        page: 1,
        pages: 1,
      };
      const definition = fill({ value: values, array: [], number: 0, outer: undefined }, filling);
      const { excess } = filling.budget;
      if (excess !== undefined) return { issues: [{ path: [], message: excess }] };
      const issues = filling.issues.all;
      return issues.length > 0 ? { issues } : { definition };
    },
  };
}

const defaultLocale = "en-GB";

function isLocale(text: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(text).length > 0;
  } catch {
    return false;
  }
}

function jsonOf(text: string, file: string): unknown {
  try {
    return parseJson(text, file);
  } catch (error) {
    throw error instanceof SyntaxError ? new TemplateMistake(error.message) : error;
  }
}
