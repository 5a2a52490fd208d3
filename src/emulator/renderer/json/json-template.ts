import { isInstance } from "../../../errors/foreign-values.ts";
import { JsonSyntaxError, parseJson } from "../../../json/json-text.ts";
import { isDeeperThan, isJsonObject, type JsonPath, maxNesting, tooDeep } from "../../../json/json-value.ts";
import { checkDefinition } from "../check-definition.ts";
import { NodeBudget } from "../definition-size.ts";
import { IssueList } from "../issue-list.ts";
import type { Filled, Template } from "../template.ts";
import { collectFaults, FaultyTemplate, type TemplateFault } from "../template-fault.ts";
import { compileDefinition, topSpot } from "./compile-definition.ts";
import { compileLocale } from "./compile-locale.ts";
import type { Filling } from "./compile-text.ts";
import { parseLabels } from "./labels.ts";
import { ValueShape } from "./sample-values.ts";
import { parseSchema } from "./schema/json-schema.ts";
import type { Scope } from "./scope.ts";
import { type JsonFile, TemplateSource } from "./template-source.ts";
import { expandUses, type ReadUsed } from "./used-files.ts";

/** A JSON template, which is filled synchronously. */
export interface JsonTemplate extends Template {
  readonly usage: ValueShape;
  fill(values: Record<string, unknown>, maxNodes?: number): Filled;
}

/** How a JSON template is read. */
interface ParseOptions {
  /** Reads a file that the template uses. Default: the template cannot use files. */
  readonly read?: ReadUsed;
  /** Whether names that pdfmake ignores are faults. Default: no. */
  readonly checksNames?: boolean;
}

/**
 * Parses a JSON template file. Strings contain placeholders such as `{{customer.name}}`, `$each` repeats an
 * element for each item of an array, and `$if` shows an element conditionally. The file has the properties of
 * a pdfmake definition, and optionally `schema` (a JSON Schema for the values), `sample` (values to try the
 * template with), `locale` (for formats such as `{{total | currency "GBP"}}`) and `labels` (texts by language).
 *
 * @throws {FaultyTemplate} if the text is not JSON or not a template
 */
export function parseJsonTemplate(text: string, path: string, options: ParseOptions = {}): JsonTemplate {
  const { read = usesNoFiles, checksNames = false } = options;
  const main = { path, text };
  const { json, source } = expandUses(main, parseFile(main), read, parseFile);
  if (!isJsonObject(json)) {
    throw source.faultAt([], 'must be one JSON object, such as {"content":["Invoice {{number}}"]}.');
  }
  if (!Object.hasOwn(json, "content")) {
    throw source.faultAt([], "has no `content`. Add a `content` property with the content of the document.");
  }
  const { schema, sample, locale, labels: texts, ...definition } = json;
  const check =
    schema === undefined
      ? () => []
      : parseSchema(schema, path, (place, problem) => source.faultAt(["schema", ...place], problem));
  if (sample !== undefined && !isJsonObject(sample)) {
    throw source.faultAt(["sample"], 'must be an object with values, such as {"number":"2026-001"}.');
  }
  const labels = texts === undefined ? undefined : parseLabels(texts, source);
  const shape = new ValueShape();
  const resolveLocale = compileLocale(locale, labels, { ...topSpot(source, shape), place: ["locale"] });
  const faults = checksNames ? nameFaults(definition, source) : [];
  const fill = collectFaults(faults, () => compileDefinition(definition, source, labels, shape));
  if (fill === undefined || faults.length > 0) throw new FaultyTemplate(faults);

  function fillingOf(values: Record<string, unknown>, maxNodes: number): Filling {
    const issues = new IssueList();
    const languages = resolveLocale(scopeOf(values), issues);
    return { issues, budget: new NodeBudget(maxNodes), page: 1, pages: 1, ...languages };
  }

  return {
    sample: sample ?? shape.sampleObject(),
    schema: isJsonObject(schema) ? schema : undefined,
    usage: shape,
    fill(values, maxNodes = Number.POSITIVE_INFINITY) {
      const refused = check(values);
      if (refused.length > 0) return { issues: refused };
      const filling = fillingOf(values, maxNodes);
      const filled = fill(scopeOf(values), filling);
      const { excess } = filling.budget;
      if (excess !== undefined) return { issues: [{ path: [], message: excess }] };
      const issues = filling.issues.all;
      return issues.length > 0 ? { issues } : { definition: filled };
    },
    hasFunctions: false,
    locate(partOfDefinition, values, of) {
      const origins = new WeakMap<object, JsonPath>();
      const filling = fillingOf(values, Number.POSITIVE_INFINITY);
      const filled = fill(scopeOf(values), { ...filling, origins });
      return source.locate(originOf(filled, partOfDefinition, origins), of);
    },
  };
}

function scopeOf(values: Record<string, unknown>): Scope {
  return { value: values, array: [], number: 0, outer: undefined };
}

/** Finds the part of the template from which a part of a definition was created. */
function originOf(definition: object, path: JsonPath, origins: WeakMap<object, JsonPath>): JsonPath {
  let place: JsonPath = [];
  let part: unknown = definition;
  for (const key of path) {
    // pdfmake puts an object with a `stack` in place of an array.
    if (Array.isArray(part) && key === "stack") continue;
    part = (part as Readonly<Record<string | number, unknown>> | undefined | null)?.[key];
    if (typeof part === "function") part = part(1, 1);
    place = (typeof part === "object" && part !== null && origins.get(part)) || [...place, key];
  }
  return place;
}

function nameFaults(definition: object, source: TemplateSource): TemplateFault[] {
  const mistakes = checkDefinition(definition, { isTemplate: true, isStrict: true });
  return mistakes.map(({ path, message, of }) => ({ ...source.locate(path, of), message }));
}

function usesNoFiles(): never {
  throw new Error("is not in the template folder");
}

function parseFile({ path, text }: JsonFile): unknown {
  let json: unknown;
  try {
    json = parseJson(text, "");
  } catch (error) {
    if (!isInstance(error, JsonSyntaxError)) throw error;
    throw new FaultyTemplate([{ file: path, ...error.position, part: "", message: error.reason }]);
  }
  if (!isDeeperThan(json, maxNesting + 1)) return json;
  const deep = Object.entries(json as object).find(([, member]) => isDeeperThan(member, maxNesting));
  throw new TemplateSource({ path, text }).faultAt(deep ? [deep[0]] : [], `${tooDeep}. Flatten it.`);
}
