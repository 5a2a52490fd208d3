import { expect, it } from "vitest";
import { type Answer, saying } from "../../support/service.ts";
import { Bench, byNo } from "./command.ts";

const schema = '{"properties":{"total":{"pattern":"^[0-9]+$"}},"required":["total"]}';
/** Line 3 has a wrong total, line 4 one cell too many, and line 6 the path of line 2. */
const data = ["no,total", "1,10", "2,ten", "3,30,x", "4,40", "1,60", ""].join("\n");

async function benchWith(rows = data, answer?: Answer): Promise<{ bench: Bench; args: string[] }> {
  const bench = await Bench.open(answer);
  bench.write("data.csv", rows);
  return { bench, args: ["--schema", bench.write("schema.json", schema), "--concurrency", "1"] };
}

it("bulk --skip-invalid generates documents from the good rows, and reports the others with line, column and reason", async () => {
  const { bench, args } = await benchWith();
  const report = bench.path("r.json");
  const flags = [...args, "--skip-invalid", "--report", report];
  const { code, printed, stderr } = await bench.bulk("data.csv", flags);
  expect(code).toBe(1);
  expect(stderr.split("\n")).toEqual([
    expect.stringMatching(/^data\.csv:3: total: /),
    expect.stringMatching(/^data\.csv:4: /),
    "data.csv:6: --out resolves to the same path as line 2",
    "3 rows are wrong and skipped, 2 rows are good.",
    "",
  ]);
  expect(printed).toMatch(
    /^2 documents made, 3 invalid, in TIME\n[\s\S]*\nFix the rows that are invalid, then run the same command again\. /,
  );
  expect(bench.files()).toEqual(["1.pdf", "4.pdf", "letter.journal"]);
  const invalid = { status: "invalid", code: "invalid_row" };
  expect(JSON.parse(await bench.read("r.json"))).toEqual(
    expect.arrayContaining([
      { line: 2, row: 1, path: bench.path("out/1.pdf"), status: "made", attempts: 1 },
      { line: 3, row: 2, ...invalid, message: expect.stringMatching(/^total: /) },
      { line: 4, row: 3, ...invalid, message: expect.stringMatching(/./) },
      { line: 5, row: 4, path: bench.path("out/4.pdf"), status: "made", attempts: 1 },
      { line: 6, row: 5, ...invalid, message: "--out resolves to the same path as line 2" },
    ]),
  );
  bench.write("data.csv", data.replace("2,ten", "2,20").replace("30,x", "30").replace("1,60", "6,60"));
  expect((await bench.bulk("data.csv", args)).printed).toMatch(/^3 documents made, 2 made before, in TIME/);
});

it("bulk --skip-invalid counts failed rows in addition to invalid ones", async () => {
  const { bench, args } = await benchWith(data, byNo({ 4: saying(422) }));
  const { code, printed } = await bench.bulk("data.csv", [...args, "--skip-invalid"]);
  expect(code).toBe(1);
  expect(printed).toMatch(/^1 document made, 1 failed, 3 invalid, in TIME\n/);
  expect(printed).toContain("Fix the rows that failed or that are invalid, then run the same command again.");
});

it("bulk --skip-invalid exits with code 0 if no row is wrong", async () => {
  const { bench, args } = await benchWith("no,total\n1,10\n");
  expect(await bench.bulk("data.csv", [...args, "--skip-invalid"])).toMatchObject({ code: 0, stderr: "" });
});

it.each([
  ["without --skip-invalid", data, []],
  ["with --dry-run", data, ["--skip-invalid", "--dry-run"]],
  ["if every row is wrong", "no,total\n1,a\n2,b\n", ["--skip-invalid"]],
])("bulk sends nothing for data with wrong rows %s", async (_, rows, flags) => {
  const { bench, args } = await benchWith(rows);
  const { code, stderr } = await bench.bulk("data.csv", [...args, ...flags]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/ Nothing was sent\.\n$/)]);
  expect(bench.service.requests).toEqual([]);
});

it("bulk refuses a folder with the journal of another template unless --journal is set", async () => {
  const bench = await Bench.withRows(2);
  await bench.bulk("data.csv");
  const { code, stderr } = await bench.bulkOf("invoice", "data.csv");
  expect(code).toBe(2);
  expect(stderr).toBe(
    "template-pdf: out/letter.journal belongs to another run in this folder, and documents for invoice could overwrite that run's documents. Use another folder for --out, or add --journal out/invoice.journal if their paths can never be equal.\n",
  );
  expect(bench.service.requests).toHaveLength(2);
  const out = ["--out", bench.path("out/invoice-{{no}}.pdf")];
  const journal = ["--journal", bench.path("out/invoice.journal")];
  expect((await bench.bulkOf("invoice", "data.csv", [...journal, ...out])).code).toBe(0);
  // The folder now also contains the journal of this template.
  expect((await bench.bulkOf("invoice", "data.csv", out)).code).toBe(0);
});
