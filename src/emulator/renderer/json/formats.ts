import { quote } from "../../quote.ts";

/** The format of a placeholder, such as `currency "GBP"` in `{{total | currency "GBP"}}`. */
export interface Format {
  readonly name: string;
  readonly args: readonly string[];
}

/** A format that is compiled for a locale. */
export interface Formatter {
  /** The kind of value that the format expects, for issues. */
  readonly expects: string;
  /** The value for a generated sample. */
  readonly sample: string | number;
  /** Returns `undefined` if the value does not fit. */
  format(value: unknown): string | undefined;
}

/** Compiles a format. Returns the problem as a string if the format is invalid. */
export function compileFormat({ name, args }: Format, locale: string): Formatter | string {
  const create = Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (create === undefined) {
    return `has the unknown format ${quote(name)}. The formats are ${Object.keys(formats).join(", ")}.`;
  }
  try {
    return create(locale, args);
  } catch (error) {
    return error instanceof RangeError
      ? `has the format ${quote(name)} with an invalid argument: ${usage[name]}.`
      : String(error);
  }
}

const usage: Readonly<Record<string, string>> = {
  currency: 'use a currency code, as in {{total | currency "GBP"}}',
  number: "specify the number of decimal places, as in {{total | number 2}}",
  percent: "specify the number of decimal places, as in {{rate | percent 1}}",
  date: 'use full, long, medium or short, and optionally a time zone, as in {{due | date "long" "Europe/London"}}',
};

type Create = (locale: string, args: readonly string[]) => Formatter;

const formats: Readonly<Record<string, Create>> = {
  currency: (locale, [currency, ...rest]) => {
    if (currency === undefined || rest.length > 0) throw new RangeError();
    return ofNumbers(new Intl.NumberFormat(locale, { style: "currency", currency }));
  },
  number: (locale, args) => ofNumbers(new Intl.NumberFormat(locale, decimalsOf(args))),
  percent: (locale, args) =>
    ofNumbers(new Intl.NumberFormat(locale, { style: "percent", ...decimalsOf(args) })),
  date: (locale, [style = "medium", timeZone = "UTC", ...rest]) => {
    if (rest.length > 0) throw new RangeError();
    const dateStyle = style as "full" | "long" | "medium" | "short";
    return ofDates(new Intl.DateTimeFormat(locale, { dateStyle, timeZone }));
  },
};

function decimalsOf([decimals, ...rest]: readonly string[]): Intl.NumberFormatOptions {
  if (rest.length > 0 || (decimals !== undefined && !/^\d{1,2}$/.test(decimals))) throw new RangeError();
  return decimals === undefined
    ? {}
    : { minimumFractionDigits: Number(decimals), maximumFractionDigits: Number(decimals) };
}

function ofNumbers(intl: Intl.NumberFormat): Formatter {
  return {
    expects: "a number",
    sample: 1234.5,
    format(value) {
      const isNumeric = typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value);
      if (typeof value !== "number" && !isNumeric) return undefined;
      // A string keeps digits that a number would lose.
      return withCommonSpaces(intl.format(value as number));
    },
  };
}

/** A date in ISO 8601, alone or with a time and its offset, such as the output of `Date.prototype.toJSON()`. */
const isoDate = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

function ofDates(intl: Intl.DateTimeFormat): Formatter {
  return {
    expects: "a date, such as 2026-11-20 or 2026-11-20T09:30:00Z",
    sample: "2026-11-20",
    format(value) {
      const date = new Date(typeof value === "string" && isoDate.test(value) ? value : Number.NaN);
      return Number.isNaN(date.getTime()) ? undefined : withCommonSpaces(intl.format(date));
    },
  };
}

/** Replaces the narrow space that some locales put between digits, because many fonts lack it. */
function withCommonSpaces(text: string): string {
  return text.replaceAll("\u202f", "\u00a0");
}
