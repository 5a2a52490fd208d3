import { describe, expect, it } from "vitest";
import { SecretWords } from "../../src/errors/secret-words.ts";

/** Replaces each secret that is found with `*`. */
function hide(values: object, text: string, isExcerpt = false): string {
  const ranges = new SecretWords(["k3y l1ve"], JSON.stringify(values)).find(text, isExcerpt);
  return ranges.reduceRight((rest, [start, end]) => `${rest.slice(0, start)}*${rest.slice(end)}`, text);
}

describe("SecretWords", () => {
  it.each<[string, object, string, string]>([
    ["finds a word from the key", {}, "by L1VE", "by *"],
    ["finds a long word by itself", { a: "Konstantin" }, "for konstantin.", "for *."],
    ["finds either of two long words on its own", { a: "Alice Baker" }, "Alice Baker and Alice", "* * and *"],
    ["finds two adjacent short words", { a: "Li Wei" }, "by Li Wei", "by *"],
    ["ignores two short words that are not adjacent", { a: "Li Wei" }, "Wei by Li", "Wei by Li"],
    ["ignores the first two of three short words", { a: "Li Wei Bo", b: "Jo" }, "Li Wei", "Li Wei"],
    ["finds the longer of two overlapping phrases", { a: "Li Wei Bo", b: "Li Wei" }, "Li Wei Bo", "*"],
    ["finds a short word that is a whole value", { a: "Bo" }, "Bo by", "* by"],
    ["ignores a single letter", { a: "B" }, "B by", "B by"],
    ["finds a short word with a digit", { a: "A7 by" }, "by A7", "by *"],
    ["finds a short word in a non-Latin script", { a: "李伟 by" }, "by 李伟", "by *"],
    ["finds a word of four letters", { a: "Kate by" }, "by Kate", "by *"],
    ["ignores a word of three letters", { a: "Kat by" }, "by Kat", "by Kat"],
    ["ignores a single digit and a single non-Latin letter", { a: "7 李 by" }, "7 or 李", "7 or 李"],
    ["finds a number", { a: 1.5 }, "1 or 1.5", "1 or *"],
    ["ignores a boolean", { a: true }, "true", "true"],
    ["finds four ordinary words in a row", { a: "must not be empty" }, "it must not be empty", "it *"],
    ["ignores three ordinary words in a row", { a: "must not be" }, "it must not be", "it must not be"],
    ["finds a phrase of 200 characters", { a: `${"ab ".repeat(66)}ab` }, "ab ".repeat(67).trim(), "*"],
    ["skips a long phrase", { a: `${"ab ".repeat(67)}ab` }, "ab ".repeat(68).trim(), "ab ".repeat(68).trim()],
    ["finds a value in an array of objects", { a: [{ b: "Konstantin" }] }, "Konstantin", "*"],
  ])("%s", (_, values, text, expected) => {
    expect(hide(values, text)).toBe(expected);
  });

  it.each<[string, object, string, string]>([
    ["ignores a property name", { grossweight: "grossweight" }, "grossweight", "grossweight"],
    ["ignores part of a camel-case name", { grossWeight: "weight gross" }, "Weight Gross", "Weight Gross"],
    ["ignores part of a snake-case name", { gross_weight: "weight" }, "weight", "weight"],
    ["ignores a capitalized property name", { Weight: "weight" }, "weight", "weight"],
    ["ignores a property name with two digits", { weight12: "weight12" }, "weight12", "weight12"],
    ["finds a property name with three digits", { weight123: "weight123" }, "weight123", "*"],
    ["finds part of a property name with spaces", { "Jo Weight": "weight" }, "weight", "*"],
    ["finds a property name that begins with a digit", { "7weight": "7weight" }, "7weight", "*"],
    ["ignores a name of 40 characters", { ["w".repeat(40)]: "w".repeat(40) }, "w".repeat(40), "w".repeat(40)],
    ["finds a name of 41 characters", { ["w".repeat(41)]: "w".repeat(41) }, "w".repeat(41), "*"],
  ])("%s if the same text is also a template value", (_, values, text, expected) => {
    expect(hide(values, text)).toBe(expected);
  });

  it.each([
    ["finds a truncated word at the end", "for Kon", "for *"],
    ["finds the first two letters of a word at the end", "for Ko", "for *"],
    ["ignores the first letter of a word at the end", "for K", "for K"],
    ["ignores part of a word before the end", "Kon for", "Kon for"],
    ["ignores a word at the end that is not in the values", "for King", "for King"],
    ["finds a run of 24 letters at the beginning", `${"x".repeat(24)} for`, "* for"],
    ["ignores a run of 23 letters at the beginning", `${"x".repeat(23)} for`, `${"x".repeat(23)} for`],
  ])("in an excerpt, %s", (_, text, expected) => {
    expect(hide({ a: "Konstantin" }, text, true)).toBe(expected);
    if (text.startsWith("for Kon")) expect(hide({ a: "Konstantin" }, text)).toBe(text);
  });
});
