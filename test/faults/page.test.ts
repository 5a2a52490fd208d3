import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { Gets, Group, Row, SecondTry } from "./row.ts";
import { groups } from "./rows/index.ts";
import { wholeForms } from "./whole-forms.ts";

const inTable: Readonly<Record<SecondTry, string>> = {
  heals: "mends it",
  "heals before hand-over": "mends it, for whole forms",
  "not tried": "no",
  "in vain": "in vain",
  unseen: "`fetch` asked again by itself",
  "not needed": "",
};

/** The page of all faults, in Markdown. */
function faultsPage(): string {
  const count = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  return `${[introduction(count), ...groups.map(sectionOf)].join("\n\n")}\n`;
}

function introduction(count: number): string {
  return `# What can go wrong, and what you get

A PDF arrives whole, or you get one error that says why. Nothing in between: no half of a document, no login page under the
name of one, no wait without an end, no partial file, no connection left behind.

That is what these ${count} faults are for. The tests play every one of them on a real socket, by both transports, against \`bytes()\` and
\`saveTo()\`, and one fault of each kind against all nine forms; and this page is written from the very rows they play.

**How to read it**

| mark | meaning |
| --- | --- |
| ✓ | the whole document, byte for byte |
| an error | what every form rejects with, or its stream ends in; a number is the \`status\`, a word in brackets the \`phase\` |
| mends it | the default \`retry\` asks again, and where the fault has passed, you get the whole document |
| mends it, for whole forms | as above for ${inWords(wholeForms)}, asked for in the same breath as the document. Who was given a stream, or the awaited document, has seen a part of the first: they get the error |
| in vain | asked again as well, but this fault does not pass |
| no | not asked again: the answer would be the same, or there is no time left |

A second try may render the document twice. With \`retry: { mayRenderTwice: false }\` only the tries marked † are made: the request
had certainly not left.`;
}

function sectionOf({ title, rows }: Group): string {
  const lines = rows.map((row) => `| ${[nameOf(row), ...resultsOf(row)].join(" | ")} |`);
  return [
    `## ${title}`,
    "",
    "| what happens | by undici | by `fetch` | a second try |",
    "| --- | --- | --- | --- |",
    ...lines,
  ].join("\n");
}

function nameOf({ fault, note }: Row): string {
  return note === undefined ? fault.name : `${fault.name}<br>*${note}*`;
}

function resultsOf({ undici, fetchOnPage, secondTry, secondTryByFetch, unsent }: Row): string[] {
  const mark = unsent.length === 0 ? "" : unsent.length === 2 ? " †" : ` † (${unsent.join()})`;
  const second =
    secondTry === secondTryByFetch
      ? inTable[secondTry]
      : `${inTable[secondTry] || "–"}; with \`fetch\`: ${inTable[secondTryByFetch]}`;
  return [resultOf(undici), resultOf(fetchOnPage), second + mark];
}

function resultOf(gets: Gets): string {
  return gets === "whole" ? "✓" : gets.replace(/^\w+/, "`$&`");
}

function inWords(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  return `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
}

it("docs/reports/faults.md says what the tables prove: if it is stale, run `npm run docs -- faults`", async () => {
  const page = fileURLToPath(new URL("../../docs/reports/faults.md", import.meta.url));
  await expect(faultsPage()).toMatchFileSnapshot(page);
});

it("each fault has a name of its own", () => {
  const names = groups.flatMap(({ rows }) => rows.map(({ fault }) => fault.name));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
