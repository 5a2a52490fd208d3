import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { expectCallersLine, type Seen } from "../client/stacks/expect-stack.ts";
import { startFailures } from "../client/stacks/failures.ts";
import { makeProject } from "../package/consumer.ts";
import { outputOf } from "../support/programs.ts";
import { nodeOf } from "./installed.ts";

/** Lets every kind of call fail in every way, and prints the caught errors. */
const program = `
  import { TemplatePdf } from "template-pdf";
  import { generateMany } from "template-pdf/bulk";
  import { documentCallers, failureOf, indirectCallers, loopOver, pendingCallers, streams } from "./callers.mjs";
  const { early, late } = JSON.parse(process.argv[2]);
  const readers = Object.entries({ ...pendingCallers, ...documentCallers });
  const seen = [];
  async function see(failures, callers) {
    for (const [kind, { options, uid, values }] of Object.entries(failures)) {
      const pdfs = new TemplatePdf({ apiKey: "key-of-the-tests", retry: false, ...options });
      for (const [name, caller] of callers) {
        const { error, marker } = await failureOf(caller, pdfs, [uid, values]);
        seen.push({ what: name + " for " + kind, error: { name: error.name, message: error.message, stack: error.stack }, marker });
      }
      await pdfs.close();
    }
  }
  await see(early, Object.entries(pendingCallers));
  await see({ "a 404": early["a 404"] }, Object.entries(indirectCallers));
  await see(late, readers.filter(([name]) => !streams.includes(name)));
  await see({ "a 404": early["a 404"] }, [["a run", loopOver(generateMany)]]);
  console.log(JSON.stringify(seen));`;

const callers = readFileSync(new URL("../client/stacks/callers.mjs", import.meta.url), "utf8");

describe("the stack of every error of the installed package shows the line of the caller", () => {
  it.each([20, 22, 24, 26] as const)("in Node %i", async (version) => {
    const { early, late } = await startFailures();
    const folder = makeProject(`stacks-${version}`, { "main.mjs": program, "callers.mjs": callers });
    const args = ["main.mjs", JSON.stringify({ early, late })];
    const printed = await outputOf(nodeOf(version), args, { cwd: folder });
    const seen = JSON.parse(printed) as (Seen & { readonly what: string })[];
    expect(seen.length).toBeGreaterThan(80);
    for (const one of seen) expectCallersLine(one);
  });
});
