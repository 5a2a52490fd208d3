import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { consumer, makeProject, runNode } from "../package/consumer.ts";
import { environmentOfUsers } from "../support/environment-of-users.ts";

const { FUZZ_SEED, FUZZ_RUNS = "30" } = process.env;
const seed = FUZZ_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(FUZZ_SEED);

/**
 * 100 ms of a quiet machine, in CPU time: a busy one computes at about two thirds of its speed. What is quadratic takes
 * from half a second to minutes.
 */
const limitMs = 150;

it("No answer, header or argument of 256 kB blocks the event loop for 100 ms", {
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

/** What patterns of the command, of CSV, JSON and TypeScript repeat. */
const units = ["\\", '"', '""', " ", "\t", ",", '"",', "{{", "\u001b[", "\ufffd", "=", "*a", "0", "a", "\n"];

/** Where the command reads a text of somebody else's; each gives its arguments, and writes files. */
const commands: Readonly<Record<string, (text: string, folder: string) => string[]>> = {
  "a cell of CSV": (text, folder) => {
    writeFileSync(join(folder, "rows.csv"), `name,note\n1,${text}\n`);
    return ["bulk", "invoice", "rows.csv", "--out", "out/{{name}}.pdf", "--dry-run"];
  },
  "a header of CSV": (text, folder) => {
    writeFileSync(join(folder, "rows.csv"), `name,${text}\n1,2\n`);
    return ["bulk", "invoice", "rows.csv", "--out", "out/{{name}}.pdf", "--dry-run"];
  },
  "a row of NDJSON": (text, folder) => {
    writeFileSync(join(folder, "rows.ndjson"), `${JSON.stringify({ [text]: text })}\n${text}\n`);
    return ["bulk", "invoice", "rows.ndjson", "--out", "out/{{name}}.pdf", "--dry-run"];
  },
  "values in JSON": (text, folder) => {
    writeFileSync(join(folder, "values.json"), `{"a":"${text}`);
    return ["generate", "invoice", "--values", "values.json", "--no-retry"];
  },
  "a sample of types": (text, folder) => {
    writeFileSync(join(folder, "sample.json"), JSON.stringify({ [text]: text, b: [text] }));
    return ["types", "invoice=sample.json", "-o", "-"];
  },
  "an argument": (text) => ["generate", text.slice(0, 100_000), `--${text.slice(0, 20_000)}`],
  "a fault": (text) => ["emulate", ".", "--fault", text.slice(0, 100_000)],
  "a file pattern": (text) => ["types", `${text.slice(0, 100_000)}*`],
};

const settings = "TEMPLATE_PDF_API_KEY=sk_live_0123456789\nTEMPLATE_PDF_BASE_URL=http://127.0.0.1:9\n";

describe("The command", () => {
  it.each(Object.entries(commands))(
    "blocks its event loop for less than 100 ms more than for a short text: 256 kB in %s",
    { timeout: 300_000 },
    async (name, prepare) => {
      const project = makeProject(`hostile-${name.replaceAll(" ", "-")}`, { ".env": settings });
      const least = async (text: string) => {
        let blockedMs = Number.POSITIVE_INFINITY;
        // The best of five: the collector of garbage comes when it likes.
        for (let again = 0; again < 5 && blockedMs > 100; again++) {
          blockedMs = Math.min(blockedMs, await blockedMsOf(prepare(text, project), project));
        }
        return blockedMs;
      };
      // The command loads its modules, too.
      const startMs = await least("a");
      for (const unit of units) {
        const text = unit.repeat(Math.floor((256 * 1024) / unit.length));
        expect((await least(text)) - startMs, JSON.stringify(unit)).toBeLessThan(limitMs);
      }
    },
  );
});

/** Runs the installed command, and gives the most CPU time between two turns of its event loop, in milliseconds. */
function blockedMsOf(args: readonly string[], cwd: string): Promise<number> {
  const command = join(consumer, "node_modules/template-pdf/dist/cli/main.js");
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
    await import(${JSON.stringify(`file://${command}`)});
  `;
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      ["--input-type=module"],
      { cwd, env: environmentOfUsers(), maxBuffer: 64 * 1024 * 1024 },
      (_, __, stderr) => {
        const found = /\nBLOCKED ([\d.]+)\n/.exec(stderr);
        // It got as far as the text.
        if (found && !/required option|API key is missing/i.test(stderr)) resolve(Number(found[1]));
        else reject(new Error(stderr.slice(0, 2_000)));
      },
    );
    child.stdin?.end(program);
  });
}
