import { quote } from "../../quote.ts";

/** How a placeholder is formatted, as `{{total | currency "GBP"}}` writes it. */
export interface Format {
  readonly name: string;
  readonly args: readonly string[];
}

/** A format that was compiled for a locale. */
export interface Formatter {
  /** What the value must be, for the issue of one that is not. */
  readonly expects: string;
  /** What a made-up sample has there. */
  readonly sample: string | number;
  /** `undefined` if the value does not fit. */
  format(value: unknown): string | undefined;
}

/** Compiles a format. @returns what is wrong with it, as a string */
export function compileFormat({ name, args }: Format, locale: string): Formatter | string {
  const create = Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (create === undefined) {
    return `has the unknown format ${quote(name)}. The formats are ${Object.keys(formats).join(", ")}.`;
  }
  try {
    return create(locale, args);
  } catch (error) {
    return error instanceof RangeError
      ? `has the format ${quote(name)} with a wrong argument: ${usage[name]}.`
      : String(error);
  }
}

const usage: Readonly<Record<string, string>> = {
  currency: 'use a currency code, such as currency "GBP"',
  number: "use the number of decimals, such as number 2",
  percent: "use the number of decimals, such as percent 1",
  date: 'use full, long, medium or short, and optionally a time zone, such as date "long" "Europe/London"',
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
      // As text, it keeps the digits that a number would lose.
      return withCommonSpaces(intl.format(value as number));
    },
  };
}

/** The day alone, or with a time and its offset (ISO 8601), as `toJSON` of a `Date` writes it. */
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

/** Many fonts lack the narrow space that some locales have between digits. */
function withCommonSpaces(text: string): string {
  return text.replaceAll("\u202f", "\u00a0");
}
