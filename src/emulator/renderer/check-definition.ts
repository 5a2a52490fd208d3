import { isJsonObject, type JsonPath } from "../../json/json-value.ts";
import { nearestName } from "../../json/nearest-name.ts";
import { checkTable, isWidth, widthRule } from "./check-table.ts";
import {
  choices,
  contentNames,
  documentNames,
  elementNames,
  layoutTexts,
  numberNames,
  pageSizes,
  shapeNames,
  shapeTypes,
  styleNames,
  tableNames,
  textNames,
  tocNames,
} from "./definition-names.ts";

/** A mistake in a document definition. Its message contains no values. */
export interface DefinitionMistake {
  /** The part of the definition, such as `["content", 0, "colour"]`. */
  readonly path: JsonPath;
  readonly message: string;
  /** Whether the name of the property is wrong or its value. Default: its value. */
  readonly of?: "name";
}

interface Options {
  /** Whether it is a template whose values are not filled in yet: it contains directives and placeholders. */
  readonly isTemplate: boolean;
  /** Whether every unknown name is a mistake, or only one that resembles a known name, because functions may read the others. */
  readonly isStrict: boolean;
}

/** The maximum number of mistakes to find. */
const maxMistakes = 50;

/** The depth of elements that is checked. */
const maxDepth = 200;

/** Finds what pdfmake would ignore without a word, such as `colour`, or not lay out, such as a row with too few cells. */
export function checkDefinition(definition: object, options: Options): readonly DefinitionMistake[] {
  const check = new Check(definition as Readonly<Record<string, unknown>>, options);
  check.document();
  return check.found.slice(0, maxMistakes);
}

/** Checks a part of a document that pdfmake requests later, such as the footer of a page. */
export function checkElement(
  element: unknown,
  definition: object,
  path: JsonPath,
  options: Options,
): readonly DefinitionMistake[] {
  const check = new Check(definition as Readonly<Record<string, unknown>>, options);
  check.element(element, path);
  return check.found.slice(0, maxMistakes);
}

class Check {
  readonly found: DefinitionMistake[] = [];
  readonly #definition: Readonly<Record<string, unknown>>;
  readonly #options: Options;
  /** The names of the styles; `undefined` if they are not known. */
  readonly #styles: readonly string[] | undefined;

  constructor(definition: Readonly<Record<string, unknown>>, options: Options) {
    this.#definition = definition;
    this.#options = options;
    const { styles = {} } = definition;
    this.#styles = isJsonObject(styles) && !isDirective(styles) ? Object.keys(styles) : undefined;
  }

  document(): void {
    const { content, styles, defaultStyle, pageSize } = this.#definition;
    this.#names(this.#definition, documentNames, []);
    this.#choices(this.#definition, []);
    if (isFixed(pageSize) && !pageSizes.includes(pageSize.toUpperCase()))
      this.#unlike(pageSize, pageSizes, ["pageSize"]);
    if (isJsonObject(styles) && !isDirective(styles)) {
      for (const [name, style] of Object.entries(styles)) this.#style(style, ["styles", name]);
    }
    this.#style(defaultStyle, ["defaultStyle"]);
    this.#pageParts(this.#definition, []);
    this.element(content, ["content"]);
  }

  element(json: unknown, path: JsonPath): void {
    if (path.length > maxDepth || this.found.length >= maxMistakes) return;
    this.#through(json, path, (part, at) => {
      if (Array.isArray(part)) for (const [index, item] of part.entries()) this.element(item, [...at, index]);
      else if (isJsonObject(part)) this.#object(part, at);
    });
  }

  #object(json: Readonly<Record<string, unknown>>, path: JsonPath): void {
    const before = this.found.length;
    this.#names(json, elementNames, path);
    const names = Object.keys(json);
    if (names.length > 0 && this.found.length === before && !names.some(isContent)) {
      const message = `has no content. Add one of these properties: ${contentNames.join(", ")}.`;
      this.found.push({ path, message });
    }
    this.#choices(json, path);
    this.#styleOf(json["style"], [...path, "style"]);
    for (const name of ["stack", "columns", "ul", "ol", "canvas"]) {
      this.#through(json[name], [...path, name], (part, at) => {
        if (part === undefined || part === null || part === "" || Array.isArray(part)) return;
        this.found.push({ path: at, message: "must be an array. Wrap it in [ ]." });
      });
    }
    this.#each(json["columns"], [...path, "columns"], ({ width }, at) => {
      if (width === undefined || isWidth(width) || !isSettled(width)) return;
      this.found.push({ path: [...at, "width"], message: widthRule });
    });
    this.#texts(json["text"], [...path, "text"]);
    for (const name of ["text", "stack", "columns", "ul", "ol", "section"])
      this.element(json[name], [...path, name]);
    this.#pageParts(json, path);
    this.#table(json, path);
    this.#each(json["canvas"], [...path, "canvas"], (shape, at) => {
      this.#names(shape, shapeNames, at);
      const { type } = shape;
      if (!isFixed(type)) return;
      const needed = Object.hasOwn(shapeTypes, type) ? shapeTypes[type] : undefined;
      if (needed === undefined) this.#unlike(type, Object.keys(shapeTypes), [...at, "type"]);
      const missing = needed?.find((name) => shape[name] === undefined);
      if (missing !== undefined)
        this.found.push({ path: at, message: `has no \`${missing}\`, which a ${type} needs.` });
    });
    const { toc } = json;
    if (isJsonObject(toc) && !isDirective(toc)) {
      this.#names(toc, tocNames, [...path, "toc"]);
      this.element(toc["title"], [...path, "toc", "title"]);
    }
  }

  /** pdfmake draws only texts in a text. */
  #texts(json: unknown, path: JsonPath): void {
    if (!Array.isArray(json)) return;
    for (const [index, item] of json.entries()) {
      this.#through(item, [...path, index], (part, at) => {
        if (
          Array.isArray(part)
            ? part.length === 0
            : !isJsonObject(part) || textNames.some((name) => name in part)
        )
          return;
        if (Object.keys(part as object).length === 0) return;
        const message =
          "is not drawn, because a text can contain only texts. Use `stack` instead of `text`, or put the texts into one array.";
        this.found.push({ path: at, message });
      });
    }
  }

  #table(json: Readonly<Record<string, unknown>>, path: JsonPath): void {
    const { table, layout } = json;
    if (isFixed(layout) && layout !== "" && !layoutTexts.includes(layout))
      this.#unlike(layout, layoutTexts, [...path, "layout"]);
    if (!isJsonObject(table) || isDirective(table)) return;
    const at = [...path, "table"];
    this.#names(table, tableNames, at);
    if (!this.#options.isTemplate) this.found.push(...checkTable(table, at));
    this.#through(table["body"], [...at, "body"], (body, inBody) => {
      if (Array.isArray(body))
        for (const [index, row] of body.entries()) this.element(row, [...inBody, index]);
    });
  }

  #pageParts(json: Readonly<Record<string, unknown>>, path: JsonPath): void {
    for (const name of ["header", "footer", "background"]) {
      if (json[name] !== "inherit") this.element(json[name], [...path, name]);
    }
  }

  #style(json: unknown, path: JsonPath): void {
    this.#through(json, path, (style, at) => {
      if (!isJsonObject(style)) return;
      this.#names(style, styleNames, at);
      this.#choices(style, at);
      this.#styleOf(style["extends"], [...at, "extends"]);
    });
  }

  #styleOf(json: unknown, path: JsonPath): void {
    const styles = this.#styles;
    if (styles === undefined) return;
    for (const name of Array.isArray(json) ? json : [json]) {
      if (!isFixed(name) || name === "" || styles.includes(name)) continue;
      const nearest = nearestName(name, styles);
      if (!this.#options.isStrict && !isMisspelt(name, nearest)) continue;
      const known = styles.length === 0 ? " The template has none." : ` They are ${styles.join(", ")}.`;
      const remedy = nearest === undefined ? known : ` Did you mean ${JSON.stringify(nearest)}?`;
      this.found.push({ path, message: `is not one of the \`styles\`.${remedy}` });
    }
  }

  #choices(json: Readonly<Record<string, unknown>>, path: JsonPath): void {
    for (const [name, texts] of Object.entries(choices)) {
      const value = json[name];
      if (isFixed(value) && value !== "" && !texts.includes(value))
        this.#unlike(value, texts, [...path, name]);
    }
    for (const name of numberNames) {
      if (isNumeric(json[name]) || !isSettled(json[name])) continue;
      this.found.push({ path: [...path, name], message: "must be a number." });
    }
    const { margin } = json;
    const sides: readonly unknown[] = Array.isArray(margin) ? margin : [margin];
    if (sides.every((side) => isNumeric(side) || !isSettled(side)) && [1, 2, 4].includes(sides.length))
      return;
    const message =
      "must be a number, or an array of two (left and right, top and bottom) or four (left, top, right, bottom).";
    this.found.push({ path: [...path, "margin"], message });
  }

  #names(json: Readonly<Record<string, unknown>>, known: readonly string[], path: JsonPath): void {
    for (const name of Object.keys(json)) {
      if (known.includes(name) || /^[_$]/.test(name)) continue;
      const nearest = nearestName(name, known);
      if (!this.#options.isStrict && !isMisspelt(name, nearest)) continue;
      const remedy =
        nearest === undefined ? "Remove it, or begin its name with _" : `Did you mean \`${nearest}\`?`;
      const message = `is unknown, so it has no effect. ${remedy}${nearest === undefined ? "." : ""}`;
      this.found.push({ path: [...path, name], message, of: "name" });
    }
  }

  #unlike(text: string, known: readonly string[], path: JsonPath): void {
    const nearest = nearestName(text, known);
    const remedy =
      nearest === undefined
        ? `Use one of these: ${known.join(", ")}.`
        : `Did you mean ${JSON.stringify(nearest)}?`;
    this.found.push({ path, message: `has an unknown value. ${remedy}` });
  }

  #each(
    json: unknown,
    path: JsonPath,
    visit: (item: Readonly<Record<string, unknown>>, path: JsonPath) => void,
  ): void {
    if (!Array.isArray(json)) return;
    for (const [index, item] of json.entries()) {
      this.#through(item, [...path, index], (part, at) => {
        if (isJsonObject(part)) visit(part, at);
      });
    }
  }

  /** Visits a part, or what directives put in its place. */
  #through(json: unknown, path: JsonPath, visit: (part: unknown, path: JsonPath) => void): void {
    if (!this.#options.isTemplate || !isJsonObject(json) || !isDirective(json)) {
      visit(json, path);
      return;
    }
    for (const name of ["$show", "$else"]) {
      if (Object.hasOwn(json, name)) this.#through(json[name], [...path, name], visit);
    }
    const { $all } = json;
    if (!Array.isArray($all)) return;
    for (const [index, element] of $all.entries()) this.#through(element, [...path, "$all", index], visit);
  }
}

/** Whether a name is another one with a typing mistake, and not a name of its own. */
function isMisspelt(name: string, nearest: string | undefined): boolean {
  return nearest !== undefined && Math.abs(name.length - nearest.length) <= 2;
}

function isContent(name: string): boolean {
  return contentNames.includes(name) || name.startsWith("_");
}

function isDirective(json: object): boolean {
  return ["$each", "$if", "$show", "$all"].some((name) => Object.hasOwn(json, name));
}

/** Whether a value is present, and does not depend on values of the call. */
function isSettled(json: unknown): boolean {
  if (typeof json === "string") return isFixed(json) && json !== "";
  return json !== undefined && json !== null && !isJsonObject(json);
}

function isNumeric(json: unknown): boolean {
  return (
    typeof json === "number" || (typeof json === "string" && json !== "" && Number.isFinite(Number(json)))
  );
}

/** Whether a value is a text that does not depend on values. */
function isFixed(json: unknown): json is string {
  return typeof json === "string" && !json.includes("{{");
}
