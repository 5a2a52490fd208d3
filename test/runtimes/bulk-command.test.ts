import { createWriteStream, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { describe, expect, it } from "vitest";
import { csvRows } from "../../src/cli/bulk/data/csv-rows.ts";
import { decode } from "../../src/cli/bulk/data/encodings.ts";
import { jsonRows, ndjsonRows } from "../../src/cli/bulk/data/json-rows.ts";
import { problemsOf, readAll } from "../cli/bulk/read-data.ts";
import { endingOf, main, start, startCommand } from "../cli/command.ts";
import { temporaryFolder } from "../client/every-form.ts";
import { type Answer, pdfOf, Service, withLength } from "../support/service.ts";

const pdf = pdfOf(20_000);

async function setUp(rowCount: number, answer: Answer = withLength(pdf)) {
  const service = await Service.start(answer);
  const cwd = temporaryFolder();
  const env = { TEMPLATE_PDF_API_KEY: "k", TEMPLATE_PDF_BASE_URL: service.baseUrl };
  const rows = Array.from({ length: rowCount }, (_, index) => `${index + 1},Zoë\n`);
  writeFileSync(join(cwd, "data.csv"), `no,name\n${rows.join("")}`);
  const args = ["bulk", "letter", "data.csv", "--out", "out/{{no}}.pdf", "--concurrency", "4"];
  return { service, circumstances: { cwd, env }, args, out: join(cwd, "out") };
}

describe("template-pdf bulk", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("finishes what is in flight at the first %s", async (signal, code) => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const answer: Answer = (received) => released.then(() => withLength(pdf)(received));
    const { service, circumstances, args, out } = await setUp(50, answer);
    const child = startCommand(args, circumstances);
    child.stderr.once("data", release);
    const ended = endingOf(child);
    await service.request(3);
    child.kill(signal);
    const ending = await ended;
    expect(ending).toMatchObject({ code, stderr: "finishing 4 documents; press Ctrl-C again to stop now\n" });
    expect(ending.stdout.toString()).toMatch(/^4 documents made, 46 left, /);
    expect(service.requests).toHaveLength(4);
    const documents = readdirSync(out).filter((name) => name.endsWith(".pdf"));
    expect(documents.map((name) => readFileSync(join(out, name)).equals(pdf))).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  const values = (row: number) => ({ no: String(row), name: "x".repeat(60) });
  it.each<[format: string, begin: string, row: (row: number) => string, end: string]>([
    ["csv", "no,name\n", (row) => `${Object.values(values(row)).join(",")}\n`, ""],
    ["ndjson", "", (row) => `${JSON.stringify(values(row))}\n`, ""],
    ["json", "[", (row) => `${row > 1 ? "," : ""}${JSON.stringify(values(row))}\n`, "]"],
  ])("checks 300,000 rows of .%s in a heap of 40 MB", async (format, begin, rowOf, end) => {
    const { circumstances } = await setUp(0);
    const file = `big.${format}`;
    const text = function* () {
      yield begin;
      for (let row = 1; row <= 300_000; row++) yield rowOf(row);
      yield end;
    };
    await pipeline(Readable.from(text()), createWriteStream(join(circumstances.cwd, file)));
    const args = ["bulk", "letter", file, "--out", "o/{{no}}.pdf", "--dry-run"];
    const command = ["--max-old-space-size=40", main, ...args];
    const { code, stdout } = await endingOf(start(process.execPath, command, circumstances));
    expect([code, stdout.toString()]).toEqual([0, `${file}: 300,000 rows are good. Nothing was sent.\n`]);
  });
});

/** An endless text in chunks. */
function endless(begin: string, piece: string): AsyncIterable<string> {
  const chunk = Buffer.from(piece.repeat((64 * 1024) / piece.length));
  const chunks = async function* () {
    yield Buffer.from(begin);
    for (let bytes = 0; bytes < 66 * 1024 * 1024; bytes += chunk.length) yield Buffer.from(chunk);
  };
  return decode(chunks(), "utf-8");
}

const dialect = { delimiter: ",", namesDelimiter: false, encoding: "utf-8" };
const columns = ["number", "name", "note"];

it.each([
  [
    "a line of NDJSON",
    () => ndjsonRows(endless('{}\n{"a":"', "x"), "utf-8"),
    "2:1: this line is longer than 64 MiB; put one object on each line",
  ],
  [
    "an element of JSON",
    () => jsonRows(endless('[{},\n{"a":"', "x"), "utf-8"),
    "1:5: this element is longer than 64 MiB; a bracket or a comma may be missing",
  ],
  [
    "a quoted cell of CSV",
    () => csvRows(endless('number,name,note\n1,2,3\n4,"', "xxxx\n"), dialect, columns),
    "3:: this row is longer than 64 MiB; a quote may be unclosed",
  ],
])("%s that never ends is reported, and reading stops", async (_what, read, problem) => {
  const found = await readAll(read());
  expect(problemsOf(found)).toEqual([problem]);
  expect(found).toHaveLength(2);
});
