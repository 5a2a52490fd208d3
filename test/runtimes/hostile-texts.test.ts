import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { installed, makeProject, runNode } from "../package/consumer.ts";
import { runToEnd } from "../support/programs.ts";

const { FUZZ_SEED, FUZZ_RUNS = "30" } = process.env;
const seed = FUZZ_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(FUZZ_SEED);

/**
 * 100 ms on a quiet machine, in CPU time: a busy one computes at about two thirds of its speed. Quadratic code takes from half a
 * second to minutes.
 */
const limitMs = 150;

it("No response, header or argument of 256 kB blocks the event loop for 100 ms", {
  timeout: 600_000,
}, async () => {
  const program = readFileSync(join(import.meta.dirname, "hostile-texts/measure.mjs"), "utf8");
  const project = makeProject("hostile-texts", { "measure.mjs": program });
  const templates = join(import.meta.dirname, "../../examples/templates");
  const settings = { seed, runs: Number(FUZZ_RUNS), length: 256 * 1024, templates };
  const printed = await runNode(project, "measure.mjs", JSON.stringify(settings));
  const worst = Object.entries(JSON.parse(printed) as Record<string, { blockedMs: number; text: string }>);
  expect(worst.length).toBeGreaterThan(10);
  const slow = worst.filter(([, { blockedMs }]) => blockedMs > limitMs);
  expect(slow, `with FUZZ_SEED=${seed}`).toEqual([]);
});

/** What the patterns of the command, of CSV, JSON and TypeScript repeat. */
const units = ["\\", '"', '""', " ", "\t", ",", '"",', "{{", "\u001b[", "\ufffd", "=", "*a", "0", "a", "\n"];

const bulk = (file: string) => ["bulk", "invoice", file, "--out", "out/{{name}}.pdf", "--dry-run"];

/** Where the command reads a text of others: its arguments, after `file` has written a file and returned its name. */
const commands: Readonly<
  Record<string, (text: string, file: (name: string, content: string) => string) => string[]>
> = {
  "a cell of CSV": (text, file) => bulk(file("rows.csv", `name,note\n1,${text}\n`)),
  "a header of CSV": (text, file) => bulk(file("rows.csv", `name,${text}\n1,2\n`)),
  "a row of NDJSON": (text, file) =>
    bulk(file("rows.ndjson", `${JSON.stringify({ [text]: text })}\n${text}\n`)),
  "values in JSON": (text, file) => [
    ...["generate", "invoice", "--no-retry", "--values"],
    file("values.json", `{"a":"${text}`),
  ],
  "a sample of types": (text, file) => [
    ...["types", "-o", "-"],
    `invoice=${file("sample.json", JSON.stringify({ [text]: text, b: [text] }))}`,
  ],
  "an argument": (text) => ["generate", text.slice(0, 100_000), `--${text.slice(0, 20_000)}`],
  "a fault": (text) => ["emulate", ".", "--fault", text.slice(0, 100_000)],
  "a file pattern": (text) => ["types", `${text.slice(0, 100_000)}*`],
};

it.each(Object.entries(commands))(
  "The command blocks its event loop for less than 100 ms more with 256 kB in %s than with a short text",
  { timeout: 300_000 },
  async (what, argsOf) => {
    const cwd = makeProject(`hostile-${what.replaceAll(" ", "-")}`, {
      ".env": "TEMPLATE_PDF_API_KEY=sk_live_0123456789\nTEMPLATE_PDF_BASE_URL=http://127.0.0.1:9\n",
    });
    const file = (name: string, content: string) => {
      writeFileSync(join(cwd, name), content);
      return name;
    };
    const least = async (text: string) => {
      const args = argsOf(text, file);
      let blockedMs = Number.POSITIVE_INFINITY;
      // The best of five, because garbage is collected at any time.
      for (let again = 0; again < 5 && blockedMs > 100; again++)
        blockedMs = Math.min(blockedMs, await blockedMsOf(args, cwd));
      return blockedMs;
    };
    // Loading the modules of the command takes time as well.
    const startMs = await least("a");
    for (const unit of units) {
      const text = unit.repeat(Math.floor((256 * 1024) / unit.length));
      expect((await least(text)) - startMs, JSON.stringify(unit)).toBeLessThan(limitMs);
    }
  },
);

/** Runs the installed command; returns the longest CPU time between two turns of its event loop, in milliseconds. */
async function blockedMsOf(args: readonly string[], cwd: string): Promise<number> {
  const command = join(installed, "dist/cli/main.js");
  const program = `
    let longest = 0;
    let last = process.cpuUsage();
    const notice = () => {
      const { user, system } = process.cpuUsage(last);
      longest = Math.max(longest, (user + system) / 1_000);
      last = process.cpuUsage();
    };
    setInterval(notice, 1).unref();
    process.once("exit", () => {
      notice();
      process.stderr.write("\\nBLOCKED " + longest + "\\n");
    });
    process.argv = [process.execPath, ${JSON.stringify(command)}, ...${JSON.stringify(args)}];
    await import(${JSON.stringify(pathToFileURL(command))});
  `;
  writeFileSync(join(cwd, "main.mjs"), program);
  const { printed } = await runToEnd(process.execPath, ["main.mjs"], { cwd });
  const [, blockedMs] = /\nBLOCKED ([\d.]+)\n/.exec(printed) ?? [];
  // It must have read the text.
  if (!blockedMs || /required option|API key is missing/i.test(printed))
    throw new Error(printed.slice(0, 2_000));
  return Number(blockedMs);
}
