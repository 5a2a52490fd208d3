import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { Gets, Group, Row, SecondTry } from "./row.ts";
import { groups } from "./rows/index.ts";
import { wholeOutputs } from "./whole-outputs.ts";

const inTable: Readonly<Record<SecondTry, string>> = {
  heals: "succeeds",
  "heals before hand-over": "succeeds, except for streams",
  "not tried": "no",
  "in vain": "fails again",
  unseen: "`fetch` retries automatically",
  "not needed": "",
};

/** The Markdown page of all faults. */
function faultsPage(): string {
  const count = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  return `${[introduction(count), ...groups.map(sectionOf)].join("\n\n")}\n`;
}

function introduction(count: number): string {
  return `# Faults

This page lists the outcome of ${count} faults. You get a complete PDF or one error that says why, and no incomplete file or open connection remains.

The tests play each fault on a real socket, over both transports, with \`bytes()\` and \`saveTo()\`, and one fault of each kind with all output
methods. They generate this page.

**Legend**

| mark | meaning |
| --- | --- |
| ✓ | the complete document, byte for byte |
| an error | every output method rejects with this error, or its stream ends with it; a number is the \`status\`, a word in brackets the \`phase\` |
| succeeds | the default \`retry\` retries, and returns the document if the fault was transient |
| succeeds, except for streams | as above for ${inWords(wholeOutputs)} on the pending result. Streams and awaited documents get the error, because their caller has seen a part of the first document |
| fails again | the client retries, but the fault remains |
| no | the client does not retry, because the response would be the same or no time is left |

A retry may render the document twice. With \`retry: { mayRenderTwice: false }\`, the client retries only faults with †, for which the request was
certainly not sent.`;
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

function resultsOf({ undici, fetch, fetchOnPage, secondTry, unsent, ...row }: Row): string[] {
  // This version of Node may have another result than the page.
  const secondTryByFetch = fetch === fetchOnPage ? row.secondTryByFetch : secondTry;
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

it("docs/reports/faults.md is up to date (to update it: npm run docs -- faults)", async () => {
  const page = fileURLToPath(new URL("../../docs/reports/faults.md", import.meta.url));
  await expect(faultsPage()).toMatchFileSnapshot(page);
});

it("each fault has a unique name", () => {
  const names = groups.flatMap(({ rows }) => rows.map(({ fault }) => fault.name));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
