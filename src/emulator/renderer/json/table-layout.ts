import { isJsonObject } from "../../../json/json-value.ts";

interface Rule {
  readonly names: readonly string[];
  readonly words: string;
  readonly test: (json: unknown) => boolean;
  /** Whether pdfmake expects one constant for the whole table instead of a function. */
  readonly isForTable?: boolean;
}

/** The properties of a table layout (pdfmake 0.3: tableLayouts.js, TableProcessor.js). */
const rules: readonly Rule[] = [
  {
    names: "hLineWidth vLineWidth paddingLeft paddingRight paddingTop paddingBottom fillOpacity".split(" "),
    words: "a number",
    test: (json) => typeof json === "number",
  },
  {
    names: ["hLineColor", "vLineColor", "fillColor"],
    words: "the name of a color",
    // A pair is a pattern and its color.
    test: (json) => json === null || typeof json === "string" || Array.isArray(json),
  },
  {
    names: ["hLineStyle", "vLineStyle"],
    words: 'null or an object such as {"dash":{"length":2}}',
    test: (json) => json === null || isJsonObject(json),
  },
  {
    names: ["defaultBorder", "hLineWhenBroken"],
    words: "true or false",
    test: (json) => typeof json === "boolean",
    isForTable: true,
  },
];

function ruleOf(name: string): Rule | undefined {
  return rules.find(({ names }) => names.includes(name));
}

/** Returns the problem of one property of a table layout. A directive is valid everywhere, because it is replaced later. */
export function layoutProblem(
  name: string,
  json: unknown,
  isDirective: (json: unknown) => boolean,
): string | undefined {
  const rule = ruleOf(name);
  if (rule === undefined) {
    return `is not a property of a table layout. The properties are: ${rules.flatMap(({ names }) => names).join(", ")}.`;
  }
  const isRight = (value: unknown) => isDirective(value) || rule.test(value);
  if (rule.isForTable) return isRight(json) ? undefined : `must be ${rule.words}.`;
  if (Array.isArray(json) ? json.length > 0 && json.every(isRight) : isRight(json)) return undefined;
  return `must be ${rule.words}, or an array with one for each row or column.`;
}

/** Converts layout properties for pdfmake: to functions that return a constant, or the item of an array at the index. */
export function layoutOf(members: Readonly<Record<string, unknown>>): object {
  const layout: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) {
    if (ruleOf(name)?.isForTable) layout[name] = value;
    else if (!Array.isArray(value)) layout[name] = () => value;
    else if (value.length > 0) {
      layout[name] = (index: number): unknown => value[Math.min(index, value.length - 1)];
    }
  }
  return layout;
}
