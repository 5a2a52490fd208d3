import { describe, expect, it } from "vitest";
import { definitionOf, issuesOf, parseErrorOf, templateOf } from "./json-filling.ts";

describe("a placeholder's format", () => {
  it.each<[string, unknown, string, string?]>([
    ["{{v | currency 'GBP'}}", 1_000_000, "£1,000,000.00"],
    ['{{v|currency "EUR"}}', "1234.5", "1.234,50\u00a0€", "de-DE"],
    ["{{v | number 2}}", "0.1", "0.10"],
    ["{{v | number}}", "12345678901234567890", "12,345,678,901,234,567,890"],
    // The narrow space of the locale, which many fonts lack, is replaced by a no-break space.
    ["{{v | number}}", 1234567, "1\u00a0234\u00a0567", "fr-FR"],
    ["{{v | percent 1}}", 0.175, "17.5%"],
    ["{{v | date 'long'}}", "2026-11-20", "20 November 2026"],
    ["{{v | date short}}", "2026-11-20", "11/20/26", "en-US"],
    ["{{v | date 'long' 'Europe/Berlin'}}", "2026-11-20T23:30:00.000Z", "21 November 2026"],
    // A date without a time is a calendar date, in every zone.
    ["{{v | date long 'America/New_York'}}", "2026-11-20", "20 November 2026"],
    ["{{v | date long 'Pacific/Auckland'}}", "2026-11-20", "20 November 2026"],
    ["{{v | date full 'Pacific/Pago_Pago'}}", "2024-02-29", "Thursday, 29 February 2024"],
    ["{{v | date long 'America/New_York'}}", "2026-11-20T00:00:00.000Z", "19 November 2026"],
    // In London, the clocks go forward at 01:00.
    ["{{v | date long 'Europe/London'}}", "2026-03-29T22:59:59Z", "29 March 2026"],
    ["{{v | date long 'Europe/London'}}", "2026-03-29T23:00:00Z", "30 March 2026"],
    ["{{v | date long}}", "2026-11-20T00:30+01:00", "19 November 2026"],
    ["{{v | date long}}", "0001-01-01", "1 January 1"],
    ["{{v? | date}}", undefined, ""],
    ["{{v | number}}", null, ""],
  ])("renders %s with the value %j as %j", (content, value, expected, locale) => {
    const json = { content, ...(locale !== undefined && { locale }) };
    expect(definitionOf(json, { v: value }).content).toBe(expected);
  });

  it.each([
    ["{{v | currency GBP}}", -0.004, "£0.00", "en-GB"],
    ["{{v | currency GBP}}", "-0.004", "£0.00", "en-GB"],
    ["{{v | currency GBP}}", -0.005, "-£0.01", "en-GB"],
    ["{{v | currency JPY}}", -0.4, "0\u00a0¥", "de-DE"],
    ["{{v | currency KWD}}", "-0.0004", "KWD\u00a00.000", "en-GB"],
    ["{{v | number 2}}", -0.001, "0,00", "sv-SE"],
    ["{{v | number}}", "-0", "0", "en-GB"],
    ["{{v | number}}", -0, "0", "he-IL"],
    ["{{v | percent}}", -0.004, "0%", "en-GB"],
    ["{{v | percent 1}}", "-0.0004", "0,0\u00a0%", "fr-FR"],
  ])(
    "shows no minus sign if the value is rounded to zero: %s with the value %j",
    (content, v, expected, locale) => {
      expect(definitionOf({ content, locale }, { v }).content).toBe(expected);
    },
  );

  it.each<[string, unknown, string, string?]>([
    ["{{v | currency EUR 3}}", 0.085, "€0.085"],
    ["{{v | currency EUR}}", 0.085, "€0.09"],
    ["{{v | currency EUR 0}}", "2.5", "€3"],
    ["{{v | currency JPY 2}}", 7, "JP¥7.00"],
    ["{{v | number 2}}", 1.005, "1.01"],
    ["{{v | number 2}}", "1.005", "1.01"],
    ["{{v | number 2}}", 2.675, "2.68"],
    ["{{v | number 2}}", "-2.675", "-2.68"],
    ["{{v | number 2}}", "2.6749999999999999999", "2.67"],
    ["{{v | percent 1}}", 0.0005, "0.1%"],
  ])("rounds the decimal digits half away from zero: %s renders %j as %j", (content, value, expected) => {
    expect(definitionOf({ content }, { v: value }).content).toBe(expected);
  });

  const number = "v must be a number (content)";
  const date = "v must be a date that exists, in the form YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ (content)";
  it.each<[string, unknown, string]>([
    ["{{v | currency GBP}}", "£640.00", number],
    ["{{v | number}}", "", number],
    ["{{v | date}}", "2026-13-20", date],
    ...[
      ...["2026-02-30", "2026-02-29", "1900-02-29", "2026-04-31", "2026-00-10", "2026-01-00", "0000-01-01"],
      ...["2026-02-30T10:00:00Z", "2026-11-20T24:00:00Z", "2026-11-20T25:00Z", "2026-11-20T10:60Z"],
      ...["2026-11-20T10:00", "2026-11-20T10:00+25:00", "2026-W47-5", "2026-324", "+012026-11-20", "2026-11"],
    ].map((v) => ["{{v | date}}", v, date] as [string, unknown, string]),
    ["{{v | currency GBP}}", Number.POSITIVE_INFINITY, number],
    ["{{v | date}}", 1_700_000_000, date],
    ["{{v | date}}", undefined, "v has no value (content)"],
  ])("rejects a value that cannot be formatted: %s with the value %j", (content, value, expected) => {
    expect(issuesOf({ content }, value === undefined ? {} : { v: value })).toEqual([expected]);
  });

  const known = "The formats are currency, number, percent, date.";
  it.each([
    ["{{v | money}}", `, content: has the unknown format "money". ${known}`],
    ["{{v | currency 'pounds'}}", 'has the format "currency" with an invalid argument: use a currency code'],
    ["{{v | currency EUR two}}", "and optionally the number of decimal places"],
    ["{{v | currency EUR 1 2}}", "and optionally the number of decimal places"],
    ["{{v | number two}}", "specify the number of decimal places, as in {{total | number 2}}."],
    ["{{v | date huge}}", "use full, long, medium or short"],
    ["{{v | date long Mars}}", 'as in {{due | date "long" "Europe/London"}}.'],
    ["{{v |}}", "has an invalid format. Write it as {{total | currency"],
    ["{{v | currency 'GBP}}", "has an invalid format"],
    [
      "{{@number | number}}",
      '"{{@number | number}}" has a format, but only values and sums can have formats.',
    ],
  ])("is reported with its location in the template if the format is invalid: %s", (content, expected) => {
    expect(parseErrorOf(JSON.stringify({ content }))).toContain(expected);
  });

  it.each(["en_GB", 7, "xx-not-a-locale"])("cannot use the invalid locale %j", (locale) => {
    const parseError = parseErrorOf(JSON.stringify({ content: "", locale }));
    expect(parseError).toContain(
      ', locale: must be a locale, such as "en-GB" or "de-DE", or a value, such as "{{locale}}".',
    );
  });

  it("determines the type of the placeholder's value in a generated sample", () => {
    const lines = { $each: "lines", $show: "{{price | number}}" };
    const content = ["{{total | currency GBP}}", "{{due | date}}", lines];
    const { sample, fill } = templateOf({ content });
    expect(sample).toEqual({ total: 1234.5, due: "2026-11-20", lines: [{ price: 1234.5 }] });
    expect(fill(sample).issues).toBeUndefined();
  });
});
