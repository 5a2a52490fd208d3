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
  currency:
    'use a currency code, and optionally the number of decimal places, as in {{total | currency "GBP"}} or {{price | currency "GBP" 3}}',
  number: "specify the number of decimal places, as in {{total | number 2}}",
  percent: "specify the number of decimal places, as in {{rate | percent 1}}",
  date: 'use full, long, medium or short, and optionally a time zone, as in {{due | date "long" "Europe/London"}}',
};

type Create = (locale: string, args: readonly string[]) => Formatter;

const formats: Readonly<Record<string, Create>> = {
  currency: (locale, [currency, ...decimals]) => {
    if (currency === undefined) throw new RangeError();
    return ofNumbers(locale, { style: "currency", currency, ...decimalsOf(decimals) });
  },
  number: (locale, args) => ofNumbers(locale, decimalsOf(args)),
  percent: (locale, args) => ofNumbers(locale, { style: "percent", ...decimalsOf(args) }),
  date: (locale, [style = "medium", timeZone = "UTC", ...rest]) => {
    if (rest.length > 0) throw new RangeError();
    const dateStyle = style as "full" | "long" | "medium" | "short";
    return ofDates((zone) => new Intl.DateTimeFormat(locale, { dateStyle, timeZone: zone }), timeZone);
  },
};

function decimalsOf([decimals, ...rest]: readonly string[]): Intl.NumberFormatOptions {
  if (rest.length > 0 || (decimals !== undefined && !/^\d{1,2}$/.test(decimals))) throw new RangeError();
  return decimals === undefined
    ? {}
    : { minimumFractionDigits: Number(decimals), maximumFractionDigits: Number(decimals) };
}

function ofNumbers(locale: string, options: Intl.NumberFormatOptions): Formatter {
  // "negative" omits the sign of a number that is rounded to zero.
  const intl = new Intl.NumberFormat(locale, { ...options, signDisplay: "negative" });
  return {
    expects: "a number",
    sample: 1234.5,
    format(value) {
      const isNumeric = typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value);
      if (!isNumeric && !Number.isFinite(value)) return undefined;
      // A string keeps digits that a number would lose.
      return withCommonSpaces(intl.format(value as number));
    },
  };
}

/** A date in ISO 8601, alone or with a time and its offset, such as the output of `Date.prototype.toJSON()`. */
const isoDate = /^(\d{4}-\d\d-\d\d)(T(?:[01]\d|2[0-3]):\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

function ofDates(createIntl: (timeZone: string) => Intl.DateTimeFormat, timeZone: string): Formatter {
  const moments = createIntl(timeZone);
  // A date without a time is the same date in every time zone.
  const days = createIntl("UTC");
  return {
    expects: "a date that exists, in the form YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ",
    sample: "2026-11-20",
    format(value) {
      const [text, day, time] = (typeof value === "string" && isoDate.exec(value)) || [];
      if (text === undefined || day === undefined || !isExistingDay(day)) return undefined;
      const date = new Date(text);
      if (Number.isNaN(date.getTime())) return undefined;
      return withCommonSpaces((time === undefined ? days : moments).format(date));
    },
  };
}

/** Whether a day such as `2026-02-28` exists. `Date` accepts 30 February, as 2 March. Years begin at 1, because formats omit the era. */
function isExistingDay(day: string): boolean {
  const date = new Date(day);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day) && !day.startsWith("0000");
}

/** Replaces the narrow space that some locales put between digits, because many fonts lack it. */
function withCommonSpaces(text: string): string {
  return text.replaceAll("\u202f", "\u00a0");
}
