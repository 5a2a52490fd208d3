import { isJsonObject } from "../../../json/json-value.ts";
import { formatJsonPath } from "../../../request/serialize-values.ts";
import { TooLarge } from "../definition-size.ts";
import { IssueList } from "../issue-list.ts";
import { collectFaults, FaultyTemplate, type TemplateFault } from "../template-fault.ts";
import { compileComparison } from "./compile-comparison.ts";
import { compilePath, compileText, type Fill, mistake, requireValue, type Spot } from "./compile-text.ts";
import type { Labels } from "./labels.ts";
import type { ValueShape } from "./sample-values.ts";
import { pathTo, valueAt } from "./scope.ts";
import { refuseRows } from "./several-rows.ts";
import { layoutOf, layoutProblem } from "./table-layout.ts";
import type { TemplateSource } from "./template-source.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** The properties of a document or section that pdfmake evaluates for each page, and the page numbers that each may show. */
const pageParts: Readonly<Record<string, readonly string[]>> = {
  header: ["page", "pages"],
  footer: ["page", "pages"],
  background: ["page"],
};

const directives = ["$each", "$if", "$is", "$show", "$else", "$all"];
const unknownDirective =
  "is unknown. The directives are `$each`, `$if`, `$is`, `$show`, `$else`, `$all` and `$use`.";

/**
 * Compiles a document definition once, so that filling it does not parse strings again. Its nesting must already have been
 * checked.
 *
 * @throws {FaultyTemplate} with all faults
 */
export function compileDefinition(
  definition: JsonObject,
  source: TemplateSource,
  labels: Labels | undefined,
  shape: ValueShape,
): Fill<object> {
  const faults: TemplateFault[] = [];
  const spot = { ...topSpot(source, shape), faults, labels };
  const directive = Object.keys(definition).find((name) => directives.includes(name));
  if (directive !== undefined) {
    throw mistake(inside(spot, directive), "is not allowed at the top level. Put it into `content`.");
  }
  const fill = compileObject(definition, spot);
  if (faults.length > 0) throw new FaultyTemplate(faults);
  return fill;
}

/** The location of the whole template. */
export function topSpot(source: TemplateSource, shape: ValueShape): Spot {
  return {
    source,
    place: [],
    faults: [],
    levels: [shape],
    conditions: [],
    pageNumbers: [],
    isXml: false,
    labels: undefined,
    isLabel: false,
  };
}

/** Compiles a part. If it has a fault, the others are still compiled, so that all faults are reported. */
function compilePart<Piece>(spot: Spot, compileIt: () => Fill<Piece>): Fill<Piece> {
  const failing = () => {
    throw new FaultyTemplate(spot.faults);
  };
  return collectFaults(spot.faults, compileIt) ?? failing;
}

function inside(spot: Spot, key: string | number): Spot {
  return { ...spot, place: [...spot.place, key] };
}

function compile(json: unknown, spot: Spot): Fill {
  if (typeof json === "string") return compileText(json, spot);
  if (Array.isArray(json)) {
    const { place } = spot;
    const items = json.map((item, index) => {
      const at = inside(spot, index);
      return compilePart(at, () => compileItem(item, at));
    });
    return (scope, filling) => {
      const list: unknown[] = [];
      // `flatMap` would make filling a template three times as slow (Node 20).
      for (const fill of items) for (const piece of fill(scope, filling)) list.push(piece);
      filling.origins?.set(list, place);
      return list;
    };
  }
  if (!isJsonObject(json)) return () => json;
  return compileChoice(json, spot, compile, "") ?? compileObject(json, spot);
}

/** Compiles an item of an array, which may become any number of elements. */
function compileItem(json: unknown, spot: Spot): Fill<readonly unknown[]> {
  if (isJsonObject(json)) {
    if (Object.hasOwn(json, "$each")) return compileEach(json, spot);
    if (Object.hasOwn(json, "$all")) return compileAll(json, spot);
    const choice = compileChoice(json, spot, compileItem, []);
    if (choice) return choice;
  }
  const fill = compile(json, spot);
  return (scope, filling) => [fill(scope, filling)];
}

function compileObject(json: JsonObject, spot: Spot): Fill<JsonObject> {
  const isPaged = spot.place.length === 0 || Object.hasOwn(json, "section");
  const isTable = Object.hasOwn(json, "table");
  const fill = compileMembers(json, spot, (name, value, at) => {
    if (name.startsWith("$")) throw mistake(at, unknownDirective, "name");
    if (isPaged && Object.hasOwn(pageParts, name)) return compilePagePart(name, value, at);
    if (isTable && name === "layout") return compileLayout(value, at);
    return compile(value, name === "svg" ? { ...at, isXml: true } : at);
  });
  if (!isTable) return fill;
  // pdfmake 0.3.11 fails on a table without rows, such as one whose rows come from an empty array.
  return (scope, filling) => {
    const object = fill(scope, filling);
    const { table, layout, ...rest } = object;
    const body = (table as { body?: unknown } | null)?.body;
    return Array.isArray(body) && body.length === 0 ? { ...rest, text: "" } : object;
  };
}

function compileMembers(
  json: JsonObject,
  spot: Spot,
  compileMember: (name: string, value: unknown, at: Spot) => Fill,
): Fill<JsonObject> {
  const members = Object.entries(json).map(([name, value]) => {
    const at = inside(spot, name);
    return [name, compilePart(at, () => compileMember(name, value, at))] as const;
  });
  const { place } = spot;
  return (scope, filling) => {
    const object = Object.fromEntries(members.map(([name, fill]) => [name, fill(scope, filling)]));
    filling.origins?.set(object, place);
    return object;
  };
}

/** Compiles a header, footer or background to a function, because pdfmake copies a constant through JSON or not at all. */
function compilePagePart(name: string, json: unknown, spot: Spot): Fill {
  // pdfmake accepts null and, in a section, "inherit".
  if (json === null || (json === "inherit" && spot.place.length > 1)) return () => json;
  const fill = compile(json, { ...spot, pageNumbers: pageParts[name] ?? [] });
  return (scope, filling) => {
    // Detects issues before pdfmake evaluates the function.
    fill(scope, filling);
    return (page: number, pages: number) => {
      const part = fill(scope, { ...filling, issues: new IssueList(), page, pages });
      const { excess } = filling.budget;
      if (excess !== undefined) throw new TooLarge(excess);
      return part;
    };
  };
}

function compileLayout(json: unknown, spot: Spot): Fill {
  if (typeof json === "string") return compileText(json, spot);
  if (!isJsonObject(json)) {
    throw mistake(spot, 'must be the name of a layout, such as "noBorders", or an object.');
  }
  const choice = compileChoice(json, spot, compileLayout, "");
  if (choice) return choice;
  const fill = compileMembers(json, spot, (name, value, at) => {
    const problem = layoutProblem(name, value, isDirective);
    if (problem !== undefined) throw mistake(at, problem);
    return compile(value, at);
  });
  return (scope, filling) => layoutOf(fill(scope, filling));
}

function isDirective(json: unknown): boolean {
  return isJsonObject(json) && Object.keys(json).some((name) => name.startsWith("$"));
}

function compileEach(json: JsonObject, spot: Spot): Fill<readonly unknown[]> {
  checkMembers(json, spot, "$each", ["$show"]);
  refuseRows(json, spot);
  const at = inside(spot, "$each");
  const { path, shape } = compilePath(json["$each"], at);
  requireValue(path, spot);
  const place = formatJsonPath(at.place);
  const levels = [...spot.levels, shape.markArray()];
  const show = compileItem(json["$show"], { ...inside(spot, "$show"), levels });
  return (scope, filling) => {
    const items = valueAt(scope, path);
    if (items === null) return [];
    const array = pathTo(scope, path);
    if (!Array.isArray(items)) {
      const message = items === undefined ? "has no value" : "must be an array";
      filling.issues.add({ path: array, message, place });
      return [];
    }
    const list: unknown[] = [];
    const { issues, budget } = filling;
    for (let index = 0; index < items.length && !issues.isFull && budget.excess === undefined; index += 1) {
      budget.spend(1);
      const inner = { value: items[index], array, number: index + 1, outer: scope };
      // A spread could exceed the stack, because each item would be an argument.
      for (const piece of show(inner, filling)) list.push(piece);
    }
    return list;
  };
}

/**
 * Compiles an object with `$if`. Returns `undefined` for an object without directives.
 *
 * @param nothing - the result of a missing `$else`
 */
function compileChoice<Piece>(
  json: JsonObject,
  spot: Spot,
  compileBranch: (json: unknown, spot: Spot) => Fill<Piece>,
  nothing: Piece,
): Fill<Piece> | undefined {
  if (Object.hasOwn(json, "$each")) {
    throw mistake(spot, "`$each` must be in an array. Wrap it in [ ].");
  }
  if (Object.hasOwn(json, "$all")) {
    throw mistake(spot, "`$all` must be in an array. Wrap it in [ ].");
  }
  if (!directives.some((name) => Object.hasOwn(json, name))) return undefined;
  checkMembers(json, spot, "$if", ["$is", "$show", "$else"]);
  refuseRows(json, spot);
  const { isTrue, tested } = compileCondition(json, spot);
  const when = (value: ValueShape | undefined): Spot => {
    return { ...spot, conditions: [...spot.conditions, { tested: value, depth: spot.levels.length - 1 }] };
  };
  const show = compileBranch(json["$show"], inside(when(tested), "$show"));
  const hasElse = Object.hasOwn(json, "$else");
  const otherwise = hasElse ? compileBranch(json["$else"], inside(when(undefined), "$else")) : () => nothing;
  return (scope, filling) => (isTrue(scope, filling) ? show : otherwise)(scope, filling);
}

function compileCondition(
  json: JsonObject,
  spot: Spot,
): { readonly isTrue: Fill<boolean>; readonly tested: ValueShape } {
  const at = inside(spot, "$if");
  const { path, shape } = compilePath(json["$if"], at);
  shape.tests.push(at.place);
  if (Object.hasOwn(json, "$is")) {
    return { isTrue: compileComparison(path, shape, json["$is"], inside(spot, "$is")), tested: shape };
  }
  shape.isTested = true;
  return { isTrue: (scope) => !isNothing(valueAt(scope, path)), tested: shape };
}

/** Compiles several elements in place of one. */
function compileAll(json: JsonObject, spot: Spot): Fill<readonly unknown[]> {
  const at = inside(spot, "$all");
  const { $all: elements, ...others } = json;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw mistake(inside(spot, other), "cannot be combined with `$all`. Move it into an element.");
  if (!Array.isArray(elements)) throw mistake(at, "must be an array of elements.");
  return compile(elements, at) as Fill<readonly unknown[]>;
}

function isNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === null || value === false || value === "";
}

function checkMembers(json: JsonObject, spot: Spot, directive: string, others: readonly string[]): void {
  const found = Object.keys(json);
  if (!found.includes(directive)) {
    const alone = others.find((name) => found.includes(name)) ?? "";
    throw mistake(inside(spot, alone), "needs `$if` or `$each`. Add one of them to the object.");
  }
  for (const name of found) {
    if (name === directive || others.includes(name)) continue;
    if (name.startsWith("$") && !directives.includes(name))
      throw mistake(inside(spot, name), unknownDirective, "name");
    throw mistake(
      inside(spot, name),
      `cannot be combined with \`${directive}\`. Move it into \`$show\`.`,
      "name",
    );
  }
  if (!found.includes("$show")) {
    throw mistake(inside(spot, directive), "needs `$show`. Put the element in `$show`.");
  }
}
