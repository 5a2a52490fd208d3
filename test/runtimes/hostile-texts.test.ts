import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { expect, it } from "vitest";
import { installed, makeProject, runNode } from "../package/consumer.ts";
import { runToEnd } from "../support/programs.ts";

const { FUZZ_SEED, FUZZ_RUNS = "6" } = process.env;
const seed = FUZZ_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(FUZZ_SEED);

/** What readers of headers, JSON, URLs, HTML and stacks look for. */
const pieces = [
  ...`\\"'%&#;:,=/?@.-_ \t(){}[]<>aA0é\n\r\0`,
  ...'\\u|\\u00|\\x4|%25|%c3|&amp;|&#x0|&#|0 |1.|{{|}}|*/|[[|--|; a=|";|charset=|c2tf|name|total|one '.split(
    "|",
  ),
  ..."sk_live_0123456789|UTF-8''|filename=|    at a (b.js:1:2)\n|bytes, |Sun, ".split("|"),
];

/** Something short that is repeated, and something else before and after it. */
const texts = fc.tuple(
  fc.constantFrom("", '"', "(", "a="),
  fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("")),
  fc.constantFrom("", "x", "\\", '"', ";"),
);

/** In CPU time. Linear code takes up to 100 ms on a fast machine, and quadratic code takes from several seconds to minutes. */
const limitMs = 500;

it("a response, header or request of 256 kB blocks the event loop for less than half a second", {
  timeout: 600_000,
}, async () => {
  const program = readFileSync(join(import.meta.dirname, "hostile-texts/measure.mjs"), "utf8");
  const project = makeProject("hostile-texts", { "measure.mjs": program });
  const sampled = fc.sample(texts, { seed, numRuns: Number(FUZZ_RUNS) });
  const printed = await runNode(project, "measure.mjs", JSON.stringify(sampled));
  const worst = Object.entries(JSON.parse(printed) as Record<string, { blockedMs: number; text: string }>);
  expect(worst.length).toBe(8);
  const slow = worst.filter(([, { blockedMs }]) => blockedMs > limitMs);
  expect(slow, `with FUZZ_SEED=${seed}`).toEqual([]);
});

const bulk = (file: string) => ["bulk", "invoice", file, "--out", "out/{{name}}.pdf", "--dry-run"];

/** Files that the command reads, and its arguments. */
const commands: Readonly<Record<string, (text: string) => [file: string, content: string, args: string[]]>> =
  {
    "a CSV cell": (text) => ["rows.csv", `name,note\n1,${text}\n`, bulk("rows.csv")],
    "a CSV header": (text) => ["rows.csv", `name,${text}\n1,2\n`, bulk("rows.csv")],
    "an NDJSON row": (text) => ["rows.ndjson", `{"name":1}\n${text}\n`, bulk("rows.ndjson")],
    "a values file": (text) => ["v.json", `{"a":"${text}`, ["generate", "invoice", "--values", "v.json"]],
    "a file of sample values": (text) => [
      "a.json",
      JSON.stringify({ [text]: text }),
      ["types", "-o", "-", "a.json"],
    ],
  };

it.each(Object.entries(commands))(
  "the command needs little additional CPU time to read 256 kB in %s",
  { timeout: 300_000 },
  async (what, commandOf) => {
    const cwd = makeProject(`hostile-${what.replaceAll(" ", "-")}`, { "main.mjs": "" });
    const cpuMsOf = async (text: string) => {
      const [file, content, args] = commandOf(text);
      writeFileSync(join(cwd, file), content);
      const command = join(installed, "dist/cli/main.js");
      const program = `
        process.argv = [process.execPath, ${JSON.stringify(command)}, ...${JSON.stringify(args)}];
        process.once("exit", () => process.stderr.write("\\nCPU " + process.cpuUsage().user + "\\n"));
        await import(${JSON.stringify(pathToFileURL(command))});`;
      writeFileSync(join(cwd, "main.mjs"), program);
      const env = { TEMPLATE_PDF_API_KEY: "key", TEMPLATE_PDF_BASE_URL: "http://127.0.0.1:9" };
      const { printed } = await runToEnd(process.execPath, ["main.mjs"], { cwd, env });
      return Number(/\nCPU (\d+)\n/.exec(printed)?.[1] ?? expect.fail(printed.slice(0, 2_000))) / 1000;
    };
    const startMs = await cpuMsOf("a");
    for (const unit of ['""', " ", '"",', "\\", "{{", "\ufffd"]) {
      const text = unit.repeat(Math.floor((256 * 1024) / unit.length));
      // Quadratic code takes from 5 s to minutes.
      expect((await cpuMsOf(text)) - startMs, JSON.stringify(unit)).toBeLessThan(1_500);
    }
  },
);
