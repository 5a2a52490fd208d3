import { isJsonObject, type JsonPath } from "../../../json/json-value.ts";
import { quote } from "../../quote.ts";
import { mistakeAt } from "../template-mistake.ts";
import {
  type Choose,
  choose,
  type Fill,
  type FillInto,
  fillList,
  fillObject,
  fillPagePart,
  fillTable,
  fillText,
  repeatInto,
} from "./fills.ts";
import { type Placeholder, parsePath, parseText, type ValuePath } from "./placeholders.ts";
import { ValueShape } from "./sample-values.ts";
import { layoutOf, layoutProblem } from "./table-layout.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** Where the compiler is, and what that means for a text there. */
interface Spot {
  /** The name of the template file. */
  readonly file: string;
  readonly place: JsonPath;
  /** The shapes of the values, and of the items of each `$each` around this spot, inmost last. */
  readonly levels: readonly ValueShape[];
  /** Which of `{{@page}}` and `{{@pages}}` are known. */
  readonly pageNumbers: readonly string[];
  readonly isXml: boolean;
}

/** The members of a document or a section that pdfmake asks for on each page, and which numbers it tells then. */
const pageParts: Readonly<Record<string, readonly string[]>> = {
  header: ["page", "pages"],
  footer: ["page", "pages"],
  background: ["page"],
};

const directives = ["$each", "$if", "$show", "$else"];
const unknownDirective = "is unknown. Of this kind there are `$each`, `$if`, `$show` and `$else`.";

/** Reads a document definition, not nested too deep, so that filling it reads no text any more. */
export function compileDefinition(definition: JsonObject, file: string): { fill: Fill; shape: ValueShape } {
  const shape = new ValueShape();
  const directive = Object.keys(definition).find((name) => directives.includes(name));
  if (directive !== undefined) {
    throw mistakeAt(file, [directive], "cannot stand at the top. Put it into `content`.");
  }
  const spot: Spot = { file, place: [], levels: [shape], pageNumbers: [], isXml: false };
  return { fill: compileObject(definition, spot), shape };
}

function inside(spot: Spot, key: string | number): Spot {
  return { ...spot, place: [...spot.place, key] };
}

function mistake({ file, place }: Spot, problem: string): Error {
  return mistakeAt(file, place, problem);
}

function compile(json: unknown, spot: Spot): Fill {
  if (typeof json === "string") return compileText(json, spot);
  if (Array.isArray(json)) {
    return fillList(json.map((item, index) => compileItem(item, inside(spot, index))));
  }
  if (!isJsonObject(json)) return () => json;
  return compileChoice(json, spot, compile) ?? compileObject(json, spot);
}

/** As one value: of what is chosen, or nothing. */
function compileChoice(
  json: JsonObject,
  spot: Spot,
  compileBranch: (json: unknown, spot: Spot) => Fill,
): Fill | undefined {
  const chosen = readChoice(json, spot, compileBranch);
  return chosen && ((scope, filling) => chosen(scope)?.(scope, filling) ?? "");
}

function compileItem(json: unknown, spot: Spot): FillInto {
  if (isJsonObject(json)) {
    if (Object.hasOwn(json, "$each")) return compileEach(json, spot);
    const chosen = readChoice(json, spot, compileItem);
    if (chosen) return (list, scope, filling) => chosen(scope)?.(list, scope, filling);
  }
  const fill = compile(json, spot);
  return (list, scope, filling) => {
    list.push(fill(scope, filling));
  };
}

function compileObject(json: JsonObject, spot: Spot): Fill {
  const isPaged = spot.place.length === 0 || Object.hasOwn(json, "section");
  const isTable = Object.hasOwn(json, "table");
  const members = Object.entries(json).map(([name, value]): readonly [string, Fill] => {
    const at = inside(spot, name);
    if (name.startsWith("$")) throw mistake(at, unknownDirective);
    if (isPaged && Object.hasOwn(pageParts, name)) return [name, compilePagePart(name, value, at)];
    if (isTable && name === "layout") return [name, compileLayout(value, at)];
    return [name, compile(value, name === "svg" ? { ...at, isXml: true } : at)];
  });
  const fill = fillObject(members);
  return isTable ? fillTable(fill) : fill;
}

function compilePagePart(name: string, json: unknown, spot: Spot): Fill {
  // A section takes these two words of pdfmake's own.
  if (json === null || (json === "inherit" && spot.place.length > 1)) return () => json;
  return fillPagePart(compile(json, { ...spot, pageNumbers: pageParts[name] ?? [] }));
}

function compileLayout(json: unknown, spot: Spot): Fill {
  if (typeof json === "string") return compileText(json, spot);
  if (!isJsonObject(json)) {
    throw mistake(spot, 'must be the name of a layout, such as "noBorders", or an object.');
  }
  const choice = compileChoice(json, spot, compileLayout);
  if (choice) return choice;
  const members = Object.entries(json).map(([name, value]): readonly [string, Fill] => {
    const at = inside(spot, name);
    const problem = layoutProblem(name, value, isDirective);
    if (problem !== undefined) throw mistake(at, problem);
    return [name, compile(value, at)];
  });
  const fill = fillObject(members);
  return (scope, filling) => layoutOf(fill(scope, filling));
}

function isDirective(json: unknown): boolean {
  return isJsonObject(json) && Object.keys(json).some((name) => name.startsWith("$"));
}

function compileEach(json: JsonObject, spot: Spot): FillInto {
  checkMembers(json, spot, "$each", ["$show"]);
  const at = inside(spot, "$each");
  const path = parsePath(json["$each"], (problem) => mistake(at, problem));
  const show = { ...inside(spot, "$show"), levels: [...spot.levels, shapeAt(path, at).markArray()] };
  return repeatInto(path, at.place, compileItem(json["$show"], show));
}

function readChoice<Branch>(
  json: JsonObject,
  spot: Spot,
  compileBranch: (json: unknown, spot: Spot) => Branch,
): Choose<Branch> | undefined {
  if (Object.hasOwn(json, "$each")) {
    throw mistake(spot, "`$each` repeats an element of an array, and this is none. Put [ ] around it.");
  }
  if (!directives.some((name) => Object.hasOwn(json, name))) return undefined;
  checkMembers(json, spot, "$if", ["$show", "$else"]);
  const at = inside(spot, "$if");
  const path = parsePath(json["$if"], (problem) => mistake(at, problem));
  shapeAt(path, at).isTested = true;
  const show = compileBranch(json["$show"], inside(spot, "$show"));
  const hasElse = Object.hasOwn(json, "$else");
  return choose(path, show, hasElse ? compileBranch(json["$else"], inside(spot, "$else")) : undefined);
}

function checkMembers(json: JsonObject, spot: Spot, directive: string, others: readonly string[]): void {
  const found = Object.keys(json);
  if (!found.includes(directive)) {
    const alone = others.find((name) => found.includes(name)) ?? "";
    throw mistake(inside(spot, alone), "stands without `$if` or `$each`. Put one of them beside it.");
  }
  for (const name of found) {
    if (name === directive || others.includes(name)) continue;
    const isKnown = directives.includes(name);
    if (name.startsWith("$") && !isKnown) throw mistake(inside(spot, name), unknownDirective);
    const where = isKnown ? "`$show`, in an object of its own" : "`$show`";
    throw mistake(inside(spot, name), `cannot stand beside \`${directive}\`. Put it into ${where}.`);
  }
  if (!found.includes("$show")) {
    const to = directive === "$each" ? "repeat" : "show";
    throw mistake(inside(spot, directive), `stands without \`$show\`. Put the element to ${to} there.`);
  }
}

function compileText(text: string, spot: Spot): Fill {
  const parts = parseText(text, (problem) => mistake(spot, problem));
  for (const part of parts) if (typeof part !== "string") checkPlaceholder(part, spot);
  if (parts.some((part) => typeof part !== "string")) return fillText(parts, spot.place, spot.isXml);
  const constant = parts.join("");
  return () => constant;
}

function checkPlaceholder(placeholder: Placeholder, spot: Spot): void {
  const { kind } = placeholder;
  if (kind === "value") {
    shapeAt(placeholder.path, spot).isText = true;
  } else if (kind === "number") {
    if (spot.levels.length - 1 - placeholder.up < 1) {
      throw mistake(spot, "{{@number}} counts the items of a `$each`, and there is none around it.");
    }
  } else if (!spot.pageNumbers.includes(kind)) {
    const where = kind === "page" ? "`header`, `footer` and `background`" : "`header` and `footer`";
    throw mistake(spot, `{{@${kind}}} is known only in ${where}. Move it there.`);
  }
}

function shapeAt(path: ValuePath, spot: Spot): ValueShape {
  const level = spot.levels.length - 1 - path.up;
  const shape = spot.levels[level]?.at(path.names);
  const shown = quote("../".repeat(path.up) + (path.names.join(".") || "this"));
  if (shape === undefined) {
    throw mistake(spot, `${shown} goes further out than there are \`$each\` around it. Take a ../ away.`);
  }
  if (level === 0 && path.names.length === 0) {
    throw mistake(spot, `${shown} means the item of a \`$each\`, and there is none around it. Name a value.`);
  }
  return shape;
}
