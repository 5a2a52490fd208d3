import { describe, expect, it } from "vitest";
import { definitionOf, issuesOf, parseErrorOf, templateOf } from "./json-filling.ts";

describe("the format of a placeholder", () => {
  it.each<[string, unknown, string, string?]>([
    ["{{v | currency 'GBP'}}", 1_000_000, "£1,000,000.00"],
    ['{{v|currency "EUR"}}', "1234.5", "1.234,50\u00a0€", "de-DE"],
    ["{{v | currency JPY}}", -1234, "-JP¥1,234"],
    ["{{ v | number }}", 1234.5678, "1,234.568"],
    ["{{v | number 2}}", "0.1", "0.10"],
    ["{{v | number}}", "12345678901234567890", "12,345,678,901,234,567,890"],
    // The narrow space of the locale, which many fonts lack, is replaced by a no-break space.
    ["{{v | number}}", 1234567, "1\u00a0234\u00a0567", "fr-FR"],
    ["{{v | percent 1}}", 0.175, "17.5%"],
    ["{{v | date}}", "2026-11-20", "20 Nov 2026"],
    ["{{v | date 'long'}}", "2026-11-20", "20 November 2026"],
    ["{{v | date short}}", "2026-11-20", "11/20/26", "en-US"],
    ["{{v | date 'long'}}", "2026-11-20T23:30:00.000Z", "20 November 2026"],
    ["{{v | date 'long' 'Europe/Berlin'}}", "2026-11-20T23:30:00.000Z", "21 November 2026"],
    ["{{v? | date}}", undefined, ""],
    ["{{v | number}}", null, ""],
    ["{{v}} {{v | number}}", 1234, "1234 1,234"],
  ])("formats %s with the value %j as %j", (content, value, expected, locale) => {
    const json = { content, ...(locale !== undefined && { locale }) };
    expect(definitionOf(json, { v: value }).content).toBe(expected);
  });

  it("escapes its output in an SVG", () => {
    const json = { content: { svg: "{{v | currency GBP}}" }, locale: "de-CH" };
    expect(definitionOf(json, { v: 1_000 }).content).toEqual({ svg: "£\u00a01&#39;000.00" });
  });

  const number = "v must be a number (content)";
  const date = "v must be a date, such as 2026-11-20 or 2026-11-20T09:30:00Z (content)";
  it.each<[string, unknown, string]>([
    ["{{v | currency GBP}}", "£640.00", number],
    ["{{v | number}}", "", number],
    ["{{v | number}}", true, number],
    ["{{v | number}}", [1], number],
    ["{{v | date}}", "20 November 2026", date],
    ["{{v | date}}", "2026-13-20", date],
    ["{{v | date}}", 1_700_000_000, date],
    ["{{v | date}}", undefined, "v has no value (content)"],
  ])("rejects a value that it cannot format: %s with the value %j", (content, value, expected) => {
    expect(issuesOf({ content }, value === undefined ? {} : { v: value })).toEqual([expected]);
  });

  const known = "The formats are currency, number, percent, date.";
  const invalid = "has an invalid format";

  it.each([
    ["{{v | money}}", `, content: has the unknown format "money". ${known}`],
    ["{{v | toString}}", ', content: has the unknown format "toString".'],
    ["{{v | currency}}", 'use a currency code, such as currency "GBP".'],
    ["{{v | currency 'pounds'}}", 'has the format "currency" with an invalid argument: use a currency code'],
    ["{{v | currency GBP 2}}", "with an invalid argument"],
    ["{{v | number two}}", "use the number of decimals, such as number 2."],
    ["{{v | percent 1 2}}", "use the number of decimals, such as percent 1."],
    ["{{v | date huge}}", "use full, long, medium or short"],
    ["{{v | date long Mars}}", 'such as date "long" "Europe/London".'],
    ["{{v |}}", `${invalid}. Write it as {{total | currency`],
    ["{{v | currency 'GBP}}", invalid],
    ["{{v | currency GBP | number}}", invalid],
    ["{{@number | number}}", '"{{@number | number}}" has a format, but only values can have formats.'],
  ])("is rejected with its location in the template if it is invalid: %s", (content, expected) => {
    expect(parseErrorOf(JSON.stringify({ content }))).toContain(expected);
  });

  it.each([["en_GB"], [""], [7], ["xx-not-a-locale"]])(
    "requires a locale that exists, unlike %j",
    (locale) => {
      const parseError = parseErrorOf(JSON.stringify({ content: "", locale }));
      expect(parseError).toContain(', locale: must be a locale, such as "en-GB" or "de-DE".');
    },
  );

  it("determines the value in a generated sample", () => {
    const lines = { $each: "lines", $show: "{{price | number}}" };
    const content = ["{{total | currency GBP}}", "{{due | date}}", lines];
    const { sample, fill } = templateOf({ content });
    expect(sample).toEqual({ total: 1234.5, due: "2026-11-20", lines: [{ price: 1234.5 }] });
    expect(fill(sample).issues).toBeUndefined();
  });
});
