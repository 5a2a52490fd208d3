import { isJsonObject } from "../../../json/json-value.ts";

interface Rule {
  /** Whether pdfmake takes one constant only, for the whole table; else it takes a function. */
  readonly isForTable?: boolean;
  readonly words: string;
  readonly test: (json: unknown) => boolean;
}

const isLength: Rule = { words: "a number", test: (json) => typeof json === "number" };
const isColor: Rule = {
  words: "the name of a color",
  // A pair is a pattern and its color.
  test: (json) => json === null || typeof json === "string" || Array.isArray(json),
};
const isStyle: Rule = {
  words: 'null or an object such as {"dash":{"length":2}}',
  test: (json) => json === null || isJsonObject(json),
};
const isSwitch: Rule = {
  isForTable: true,
  words: "true or false",
  test: (json) => typeof json === "boolean",
};

/** The members of a table's layout (pdfmake 0.3: tableLayouts.js, TableProcessor.js). */
const rules: Readonly<Record<string, Rule>> = {
  hLineWidth: isLength,
  vLineWidth: isLength,
  hLineColor: isColor,
  vLineColor: isColor,
  hLineStyle: isStyle,
  vLineStyle: isStyle,
  paddingLeft: isLength,
  paddingRight: isLength,
  paddingTop: isLength,
  paddingBottom: isLength,
  fillColor: isColor,
  fillOpacity: isLength,
  defaultBorder: isSwitch,
  hLineWhenBroken: isSwitch,
};

/** Says what is wrong with one member of a layout in a template. What is a directive becomes something else later. */
export function layoutProblem(
  name: string,
  json: unknown,
  isDirective: (json: unknown) => boolean,
): string | undefined {
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  if (rule === undefined)
    return `is no member of a table's layout. These are: ${Object.keys(rules).join(", ")}.`;
  const isRight = (value: unknown) => isDirective(value) || rule.test(value);
  if (rule.isForTable) return isRight(json) ? undefined : `must be ${rule.words}.`;
  if (Array.isArray(json) ? json.length > 0 && json.every(isRight) : isRight(json)) return undefined;
  return `must be ${rule.words}, or an array with one for each row or column.`;
}

/** Turns the members of a layout into what pdfmake takes: a constant gives itself everywhere, an array by index. */
export function layoutOf(members: Readonly<Record<string, unknown>>): object {
  const layout: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) {
    if (rules[name]?.isForTable) layout[name] = value;
    else if (!Array.isArray(value)) layout[name] = () => value;
    else if (value.length > 0) {
      layout[name] = (index: number): unknown => value[Math.min(index, value.length - 1)];
    }
  }
  return layout;
}
