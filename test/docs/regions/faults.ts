import type { Row, SecondTry } from "../../faults/row.ts";
import { groups } from "../../faults/rows/index.ts";
import { wholeForms } from "../../faults/whole-forms.ts";
import { inWords, tableOf } from "../markdown.ts";

const inTable: Readonly<Record<SecondTry, string>> = {
  heals: "yes",
  "heals before hand-over": "yes, for whole forms",
  "in vain": "yes, in vain",
  "not tried": "no",
  unseen: "no",
  "not needed": "",
};

/** What the faults of docs/reports/faults.md end in, a line for each kind, from the rows that its tests play. */
export default function faults(): string {
  const count = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  return `The tests play ${count} faults, each by \`bytes()\` and \`saveTo()\`, and one of each kind in every form. Whole forms are ${inWords(wholeForms.map((form) => `\`${form}\``))}.

${tableOf(
  ["what is wrong", "faults", "you get, by undici", "tried again"],
  groups.map(({ title, rows }) => [
    title,
    String(rows.length),
    inWords(kindsOf(rows.map(({ undici }) => nameOf(undici)))),
    again(rows),
  ]),
)}`;
}

/** The kinds among some words, in the order in which they first come. */
function kindsOf(words: readonly string[]): string[] {
  return [...new Set(words)];
}

/** Without the status or the phase. */
function nameOf(gets: Row["undici"]): string {
  return gets === "whole" ? "the whole document" : `\`${gets.replace(/ .*/, "")}\``;
}

/** What a second try brings; with how many of the faults, where they differ. */
function again(rows: readonly Row[]): string {
  const answers = rows.map(({ secondTry }) => inTable[secondTry]).filter((answer) => answer !== "");
  const kinds = kindsOf(answers);
  if (kinds.length < 2) return kinds.join();
  return kinds.map((kind) => `${kind} (${answers.filter((answer) => answer === kind).length})`).join("; ");
}
