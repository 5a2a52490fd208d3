import { readTime } from "../../duration.ts";
import { isBlank } from "./row.ts";

/** A type that a schema can require, and how a cell denotes a value of it. */
interface CellType {
  /** Matches the message of a schema that requires this type. */
  readonly required: RegExp;
  /** Returns the value that a text denotes, or `undefined`. */
  read(text: string): unknown;
  /** Whether a value is of this type. */
  is(value: unknown): boolean;
  /** Whether the text is read only if the schema's message names the type. */
  readonly onlyIfRequired?: boolean;
  /** How to write a value of this type. */
  readonly advice: string;
}

const cellTypes: readonly CellType[] = [
  {
    required: /\b(?:number|integer|int)\b/i,
    read: numberIn,
    is: (value) => typeof value === "number",
    advice: "write it as -1234.5, without separators, leading zeros, units and exponents",
  },
  {
    required: /\b(?:true|false|boolean)\b/i,
    read: truthIn,
    is: (value) => typeof value === "boolean",
    advice: "write true or false",
  },
  {
    required: /"date-time"/,
    read: () => undefined,
    is: () => false,
    advice: "write it as 2026-11-30T06:00:00Z",
  },
  {
    required: /\bdate\b/i,
    read: dateIn,
    is: (value) => value instanceof Date,
    // Schemas of objects accept a `Date` as well.
    onlyIfRequired: true,
    advice: "write it as 2026-11-30",
  },
  {
    required: /\b(?:array|object)\b/i,
    read: () => undefined,
    is: () => false,
    advice: "use NDJSON or JSON, because a CSV cell cannot contain it",
  },
];

/** Stands for a value that is left out. */
export const absent = Symbol("absent");

/**
 * Returns the values that a text denotes, apart from itself, in the order in which a schema is asked about them.
 *
 * @param message - why the schema refuses the text
 */
export function otherReadings(text: string, message: string): unknown[] {
  const type = requiredType(message);
  // A text that must not be empty is not left out.
  if (isBlank(text)) return type ? [null, absent] : [null];
  return cellTypes
    .filter((each) => !each.onlyIfRequired || each === type)
    .map(({ read }) => read(text))
    .filter((value) => value !== undefined);
}

function requiredType(message: string): CellType | undefined {
  // Texts in quotes are constants of the schema, except the formats of dates.
  const ownWords = message.replace(/"(?!date"|date-time")[^"]*"/g, "");
  return cellTypes.find(({ required }) => required.test(ownWords));
}

/** Whether a schema that has refused a text with this message requires values of this type. */
export function requiresTypeOf(value: unknown, message: string): boolean {
  return requiredType(message)?.is(value) ?? false;
}

/** Adds to a message about the type of a cell how to write the value. */
export function withAdvice(message: string, text: string): string {
  const type = requiredType(message);
  if (type === undefined) return message;
  if (isBlank(text)) return `${message}, but the cell is empty`;
  if (text !== text.trim()) {
    return `${message}, but there is white space around the text of the cell: remove it, or add --trim`;
  }
  if (type.read === numberIn && isNumber.test(text)) {
    return `${message}, but the cell has more digits than JavaScript can store: use a string in the schema`;
  }
  return `${message}: ${type.advice}`;
}

const isNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** The maximum number of digits that JavaScript stores for every number. */
const safeDigits = 15;

/** Reads a decimal number. Refuses what may be a code, such as 007, or may be rounded, such as 1.2E+11. */
function numberIn(text: string): number | undefined {
  if (!isNumber.test(text)) return undefined;
  const number = Number(text);
  const plain = withoutFinalZeros(text);
  const digits = plain.replace(/^-?[0.]*/, "").replace(".", "");
  return digits.length <= safeDigits || String(number) === plain ? number : undefined;
}

/** Removes the zeros at the end of a fraction. */
function withoutFinalZeros(number: string): string {
  if (!number.includes(".")) return number;
  let end = number.length;
  while (number[end - 1] === "0") end--;
  return number.slice(0, number[end - 1] === "." ? end - 1 : end);
}

/** Reads `true` or `false`. Spreadsheets write them in capital letters. */
function truthIn(text: string): boolean | undefined {
  const lower = text.toLowerCase();
  return lower === "true" ? true : lower === "false" ? false : undefined;
}

/** Reads a calendar date, or a time with a time zone. */
function dateIn(text: string): Date | undefined {
  return readTime(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00Z` : text);
}
