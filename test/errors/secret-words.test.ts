import { describe, expect, it } from "vitest";
import { SecretWords } from "../../src/errors/secret-words.ts";

/** Replaces each secret that is found with `*`. */
function hide(values: object, text: string, isExcerpt = false): string {
  const ranges = new SecretWords(["k3y l1ve"], JSON.stringify(values)).find(text, isExcerpt);
  return ranges.reduceRight((rest, [start, end]) => `${rest.slice(0, start)}*${rest.slice(end)}`, text);
}

describe("The words of values", () => {
  it.each<[string, object, string, string]>([
    ["a word from the key", {}, "by L1VE", "by *"],
    ["a long word by itself", { a: "Konstantin" }, "for konstantin.", "for *."],
    ["two long words, each by itself", { a: "Alice Baker" }, "Alice Baker and Alice", "* * and *"],
    ["two short words together", { a: "Li Wei" }, "by Li Wei", "by *"],
    ["two separated short words are ignored", { a: "Li Wei" }, "Wei by Li", "Wei by Li"],
    ["the first two of three short words are ignored", { a: "Li Wei Bo", b: "Jo" }, "Li Wei", "Li Wei"],
    ["three short words rather than the first two", { a: "Li Wei Bo", b: "Li Wei" }, "Li Wei Bo", "*"],
    ["one short word that is a whole value", { a: "Bo" }, "Bo by", "* by"],
    ["a single letter is ignored", { a: "B" }, "B by", "B by"],
    ["a short word with a digit", { a: "A7 by" }, "by A7", "by *"],
    ["a short word in another script", { a: "李伟 by" }, "by 李伟", "by *"],
    ["a word with four letters", { a: "Kate by" }, "by Kate", "by *"],
    ["a word with three letters is ignored", { a: "Kat by" }, "by Kat", "by Kat"],
    ["a single digit or letter in another script is ignored", { a: "7 李 by" }, "7 or 李", "7 or 李"],
    ["a number", { a: 1.5 }, "1 or 1.5", "1 or *"],
    ["a boolean is ignored", { a: true }, "true", "true"],
    ["four ordinary words", { a: "must not be empty" }, "it must not be empty", "it *"],
    ["three ordinary words are ignored", { a: "must not be" }, "it must not be", "it must not be"],
    ["a phrase of 200 characters", { a: `${"ab ".repeat(66)}ab` }, "ab ".repeat(67).trim(), "*"],
    ["not a longer phrase", { a: `${"ab ".repeat(67)}ab` }, "ab ".repeat(68).trim(), "ab ".repeat(68).trim()],
    ["a value in an array of objects", { a: [{ b: "Konstantin" }] }, "Konstantin", "*"],
  ])("are found by these rules: %s", (_, values, text, expected) => {
    expect(hide(values, text)).toBe(expected);
  });

  it.each<[string, object, string, string]>([
    ["a whole placeholder", { grossweight: "grossweight" }, "grossweight", "grossweight"],
    ["part of a placeholder in camel case", { grossWeight: "weight gross" }, "Weight Gross", "Weight Gross"],
    ["part of a placeholder in snake case", { gross_weight: "weight" }, "weight", "weight"],
    ["part of a placeholder in capitals", { Weight: "weight" }, "weight", "weight"],
    ["a placeholder with two digits", { weight12: "weight12" }, "weight12", "weight12"],
    ["except a name with three digits", { weight123: "weight123" }, "weight123", "*"],
    ["except a name with spaces", { "Jo Weight": "weight" }, "weight", "*"],
    ["except a name that begins with a digit", { "7weight": "7weight" }, "7weight", "*"],
    ["a name of 40 characters", { ["w".repeat(40)]: "w".repeat(40) }, "w".repeat(40), "w".repeat(40)],
    ["except a name of 41 characters", { ["w".repeat(41)]: "w".repeat(41) }, "w".repeat(41), "*"],
  ])("are not redacted if they occur in a placeholder: %s", (_, values, text, expected) => {
    expect(hide(values, text)).toBe(expected);
  });

  it.each([
    ["a truncated word at the end", "for Kon", "for *"],
    ["two letters of a word at the end", "for Ko", "for *"],
    ["except one letter at the end", "for K", "for K"],
    ["except part of a word before the end", "Kon for", "Kon for"],
    ["except another word at the end", "for King", "for King"],
    ["a run of 24 letters anywhere", `${"x".repeat(24)} for`, "* for"],
    ["except a run of 23 letters", `${"x".repeat(23)} for`, `${"x".repeat(23)} for`],
  ])("are found in an excerpt: %s", (_, text, expected) => {
    expect(hide({ a: "Konstantin" }, text, true)).toBe(expected);
    if (text.startsWith("for Kon")) expect(hide({ a: "Konstantin" }, text)).toBe(text);
  });
});
