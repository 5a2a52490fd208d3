import type { JsonPath } from "../../../json/json-value.ts";
import { isJsonObject } from "../../../json/json-value.ts";
import { quote } from "../../quote.ts";
import { mistakeAt } from "../template-mistake.ts";
import type { Choice, Each, Element, Item } from "./elements.ts";
import { type Placeholder, parsePath, parseText, type ValuePath } from "./placeholders.ts";
import { ValueShape } from "./sample-values.ts";
import { layoutProblem } from "./table-layout.ts";

interface JsonObject {
  readonly $each?: unknown;
  readonly $if?: unknown;
  readonly $show?: unknown;
  readonly $else?: unknown;
  readonly [name: string]: unknown;
}

/** Where the compiler is, and what that means for a text there. */
interface Spot {
  readonly place: JsonPath;
  /** The shapes of the values, and of the items of each `$each` around this spot, inmost last. */
  readonly levels: readonly ValueShape[];
  /** Which of `{{@page}}` and `{{@pages}}` are known. */
  readonly pageNumbers: readonly string[];
  readonly isXml: boolean;
}

/** A definition that is ready to be filled. */
interface CompiledDefinition {
  readonly root: Element;
  /** What it does with the values. */
  readonly shape: ValueShape;
}

/** The members of a document or a section that pdfmake asks for on each page, and which numbers it tells then. */
const pageParts: Readonly<Record<string, readonly string[]>> = {
  header: ["page", "pages"],
  footer: ["page", "pages"],
  background: ["page"],
};

/**
 * Reads a document definition with placeholders, `$each` and `$if`, so that filling it reads no text any more.
 *
 * @param definition - the JSON object, not nested too deep
 * @param file - the name of the template file, with which errors begin
 * @throws {TemplateMistake} that names the place, where the syntax is broken.
 */
export function compileDefinition(definition: JsonObject, file: string): CompiledDefinition {
  const shape = new ValueShape();
  const spot: Spot = { place: [], levels: [shape], pageNumbers: [], isXml: false };
  const compiler = new Compiler(file);
  const directive = Object.keys(definition).find((name) => directives.includes(name));
  if (directive !== undefined) {
    throw mistakeAt(file, [directive], "cannot stand at the top. Put it into `content`.");
  }
  return { root: compiler.object(definition, spot), shape };
}

const directives = ["$each", "$if", "$show", "$else"];

function isDirective(json: unknown): boolean {
  return isJsonObject(json) && Object.keys(json).some((name) => name.startsWith("$"));
}

function inside(spot: Spot, key: string | number): Spot {
  return { ...spot, place: [...spot.place, key] };
}

class Compiler {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  object(json: JsonObject, spot: Spot): Element {
    const isPaged = spot.place.length === 0 || Object.hasOwn(json, "section");
    const isTable = Object.hasOwn(json, "table");
    const members = Object.entries(json).map(([name, value]) => {
      const at = inside(spot, name);
      if (name.startsWith("$")) throw this.#fault(at, unknownDirective);
      if (isPaged && Object.hasOwn(pageParts, name)) return [name, this.#pagePart(name, value, at)] as const;
      if (isTable && name === "layout") return [name, this.#layout(value, at)] as const;
      return [name, this.#element(value, name === "svg" ? { ...at, isXml: true } : at)] as const;
    });
    return { kind: "object", members, isTable };
  }

  #fault(spot: Spot, problem: string): Error {
    return mistakeAt(this.#file, spot.place, problem);
  }

  #element(json: unknown, spot: Spot): Element {
    if (typeof json === "string") return this.#text(json, spot);
    if (Array.isArray(json)) {
      return { kind: "list", items: json.map((item, index) => this.#item(item, inside(spot, index))) };
    }
    if (!isJsonObject(json)) return { kind: "constant", value: json };
    return this.#choice(json, spot, (branch, at) => this.#element(branch, at)) ?? this.object(json, spot);
  }

  #item(json: unknown, spot: Spot): Item {
    if (!isJsonObject(json)) return this.#element(json, spot);
    return (
      this.#each(json, spot) ??
      this.#choice(json, spot, (branch, at) => this.#item(branch, at)) ??
      this.object(json, spot)
    );
  }

  #each(json: JsonObject, spot: Spot): Each | undefined {
    if (!Object.hasOwn(json, "$each")) return undefined;
    this.#checkMembers(json, spot, ["$each", "$show"]);
    const at = inside(spot, "$each");
    const path = parsePath(json.$each, (problem) => this.#fault(at, problem));
    const items = this.#shapeAt(path, at).markArray();
    const show = { ...inside(spot, "$show"), levels: [...spot.levels, items] };
    return { kind: "each", path, place: at.place, show: this.#item(json.$show, show) };
  }

  #choice<Branch>(
    json: JsonObject,
    spot: Spot,
    compile: (json: unknown, spot: Spot) => Branch,
  ): Choice<Branch> | undefined {
    if (Object.hasOwn(json, "$each")) {
      throw this.#fault(spot, "`$each` repeats an element of an array, and this is none. Put [ ] around it.");
    }
    if (!directives.some((name) => Object.hasOwn(json, name))) return undefined;
    this.#checkMembers(json, spot, ["$if", "$show", "$else"]);
    const at = inside(spot, "$if");
    const path = parsePath(json.$if, (problem) => this.#fault(at, problem));
    this.#shapeAt(path, at).markTested();
    return {
      kind: "choice",
      path,
      show: compile(json.$show, inside(spot, "$show")),
      otherwise: Object.hasOwn(json, "$else") ? compile(json.$else, inside(spot, "$else")) : undefined,
    };
  }

  #checkMembers(json: JsonObject, spot: Spot, [directive = "", ...others]: string[]): void {
    if (!Object.hasOwn(json, directive)) {
      const found = others.find((name) => Object.hasOwn(json, name)) ?? "";
      throw this.#fault(inside(spot, found), "stands without `$if` or `$each`. Put one of them beside it.");
    }
    for (const name of Object.keys(json)) {
      if (name === directive || others.includes(name)) continue;
      const isKnown = directives.includes(name);
      if (name.startsWith("$") && !isKnown) throw this.#fault(inside(spot, name), unknownDirective);
      throw this.#fault(
        inside(spot, name),
        `cannot stand beside \`${directive}\`. Put it into \`$show\`${isKnown ? ", in an object of its own" : ""}.`,
      );
    }
    if (!Object.hasOwn(json, "$show")) {
      const to = directive === "$each" ? "repeat" : "show";
      throw this.#fault(inside(spot, directive), `stands without \`$show\`. Put the element to ${to} there.`);
    }
  }

  /** A header, footer or background: a function, because pdfmake copies a constant by way of JSON, or not at all. */
  #pagePart(name: string, json: unknown, spot: Spot): Element {
    // A section takes these two words of pdfmake's own.
    if (json === null || (json === "inherit" && spot.place.length > 1))
      return { kind: "constant", value: json };
    const pageNumbers = pageParts[name] ?? [];
    return { kind: "page part", element: this.#element(json, { ...spot, pageNumbers }) };
  }

  #layout(json: unknown, spot: Spot): Element {
    if (typeof json === "string") return this.#text(json, spot);
    if (!isJsonObject(json)) {
      throw this.#fault(spot, 'must be the name of a layout, such as "noBorders", or an object.');
    }
    const choice = this.#choice(json, spot, (branch, at) => this.#layout(branch, at));
    if (choice) return choice;
    const members = Object.entries(json).map(([name, value]) => {
      const at = inside(spot, name);
      const problem = layoutProblem(name, value, isDirective);
      if (problem !== undefined) throw this.#fault(at, problem);
      return [name, this.#element(value, at)] as const;
    });
    return { kind: "layout", members };
  }

  #text(text: string, spot: Spot): Element {
    const parts = parseText(text, (problem) => this.#fault(spot, problem));
    for (const part of parts) if (typeof part !== "string") this.#checkPlaceholder(part, spot);
    const isConstant = parts.every((part) => typeof part === "string");
    if (isConstant) return { kind: "constant", value: parts.join("") };
    return { kind: "text", parts, place: spot.place, isXml: spot.isXml };
  }

  #checkPlaceholder(placeholder: Placeholder, spot: Spot): void {
    if (placeholder.kind === "value") {
      this.#shapeAt(placeholder.path, spot).markText();
    } else if (placeholder.kind === "number") {
      if (spot.levels.length - 1 - placeholder.up < 1) {
        throw this.#fault(spot, "{{@number}} counts the items of a `$each`, and there is none around it.");
      }
    } else if (!spot.pageNumbers.includes(placeholder.kind)) {
      const where =
        placeholder.kind === "page" ? "`header`, `footer` and `background`" : "`header` and `footer`";
      throw this.#fault(spot, `{{@${placeholder.kind}}} is known only in ${where}. Move it there.`);
    }
  }

  #shapeAt(path: ValuePath, spot: Spot): ValueShape {
    const level = spot.levels.length - 1 - path.up;
    const shape = ValueShape.at(spot.levels, path);
    const shown = quote("../".repeat(path.up) + (path.names.join(".") || "this"));
    if (shape === undefined) {
      throw this.#fault(
        spot,
        `${shown} goes further out than there are \`$each\` around it. Take a ../ away.`,
      );
    }
    if (level === 0 && path.names.length === 0) {
      throw this.#fault(
        spot,
        `${shown} means the item of a \`$each\`, and there is none around it. Name a value.`,
      );
    }
    return shape;
  }
}

const unknownDirective = "is unknown. Of this kind there are `$each`, `$if`, `$show` and `$else`.";
