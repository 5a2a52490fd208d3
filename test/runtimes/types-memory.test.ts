import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { endingOf, main, start } from "../cli/command.ts";
import { folderOf } from "../cli/types-command.ts";

const mebibyte = 1024 * 1024;

/** Prints the most memory that a process has taken, in KiB, when it ends. */
const preload =
  "data:text/javascript,import process from 'node:process';" +
  "process.on('exit', () => process.stderr.write(String(process.resourceUsage().maxRSS)));";

/** The most memory that the command takes for so much NDJSON, in bytes. */
async function peakFor(bytes: number): Promise<number> {
  const cwd = folderOf({});
  let count = 0;
  for (let written = 0; written < bytes; ) {
    const text = Array.from({ length: 5000 }, () => sample(count++)).join("");
    appendFileSync(join(cwd, "invoice.ndjson"), text);
    written += text.length;
  }
  const args = ["--import", preload, main, "types", "invoice.ndjson"];
  const { code, stderr } = await endingOf(start(process.execPath, args, { cwd }));
  expect(code).toBe(0);
  return Number(stderr) * 1024;
}

function sample(index: number): string {
  const values = {
    number: `INV-${index}`,
    customer: { name: `Customer ${index}`, note: index % 2 ? null : `a note that nobody else has: ${index}` },
    lines: Array.from({ length: index % 5 }, (_, line) => ({
      description: `line ${line}`,
      amount: line * 1.5,
    })),
    payment: index % 3 ? { kind: "card", last4: String(index) } : { kind: "iban", iban: `GB${index}` },
    ...(index % 7 === 0 && { reference: `word${index}` }),
  };
  return `${JSON.stringify(values)}\n`;
}

it("types takes no more memory for three times as much NDJSON", { timeout: 60_000 }, async () => {
  const [less, more] = [await peakFor(30 * mebibyte), await peakFor(90 * mebibyte)];
  console.info(
    `30 MiB: ${Math.round(less / mebibyte)} MiB at the peak, 90 MiB: ${Math.round(more / mebibyte)} MiB`,
  );
  expect(more - less).toBeLessThan(30 * mebibyte);
  expect(more).toBeLessThan(200 * mebibyte);
});
