import { appendFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { saying } from "../../support/service.ts";
import { Bench, byNumber, csvOf, key, numberOf, smallPdf } from "./command.ts";

const places = "folder out, journal out/letter.journal";

describe("the `bulk` command", () => {
  it("generates a document from every row of a CSV file, and prints the output folder", async () => {
    const bench = await Bench.open();
    bench.write("data.csv", 'no;name\n1;Zoë\n2;"O\'Neil; Søn"\n');
    const printed = `2 documents made, in TIME\n${places}\n`;
    expect(await bench.bulk("data.csv")).toEqual({ code: 0, printed, stderr: "" });
    expect(bench.files()).toEqual(["1.pdf", "2.pdf", "letter.journal"]);
    expect((await bench.read("out/1.pdf")).length).toBe(smallPdf.length);
    const bodies = bench.service.requests.map(({ body }) => body).sort();
    expect(bodies).toEqual(['{"no":"1","name":"Zoë"}', '{"no":"2","name":"O\'Neil; Søn"}']);
    expect(bench.service.requests[0]?.path).toBe("/api/v1/templates/letter/generate-sync");
  });

  it("does not change numbers and nested values from standard input", async () => {
    const bench = await Bench.open();
    const input = '{"no":1,"lines":[{"price":2.5}]}\n';
    expect(await bench.bulk("-", [], { input })).toMatchObject({ code: 0, stderr: "" });
    expect(bench.service.requests.map(({ body }) => body)).toEqual(['{"no":1,"lines":[{"price":2.5}]}']);
  });

  it("resumes with the failed, new and changed rows", async () => {
    let isBroken = true;
    const bench = await Bench.withRows(3, (received) =>
      byNumber(isBroken ? { 2: saying(422, '{"message":"no"}') } : {})(received),
    );
    expect((await bench.bulk("data.csv")).code).toBe(1);
    isBroken = false;
    await appendFile(bench.path("data.csv"), "4,Zoë\n");
    bench.write("data.csv", (await bench.read("data.csv")).replace("3,Zoë", "3,Zoé"));
    const before = bench.service.requests.length;
    expect(await bench.bulk("data.csv")).toEqual({
      code: 0,
      printed: `3 documents made, 1 made earlier, in TIME\n${places}\n1 row changed since an earlier run, and was generated again.\n`,
      stderr:
        "resuming out/letter.journal: 2 documents are recorded as finished and will be skipped; 4 rows in total\n",
    });
    expect(bench.service.requests.slice(before).map(numberOf).sort()).toEqual(["2", "3", "4"]);
  });

  it("reports documents whose rows were removed, and starts over with --fresh", async () => {
    const bench = await Bench.withRows(3);
    await bench.bulk("data.csv");
    bench.write("data.csv", csvOf(1));
    const removed = "2 documents from earlier runs no longer have a row, and are kept.\n";
    const { printed } = await bench.bulk("data.csv");
    expect(printed).toBe(`0 documents made, 1 made earlier, in TIME\n${places}\n${removed}`);
    expect(bench.files()).toContain("3.pdf");
    expect(await bench.bulk("data.csv", ["--fresh"])).toMatchObject({ code: 0, stderr: "" });
    expect(bench.requestedNos()).toEqual(["1", "1", "2", "3"]);
    expect(bench.files()).toContain("letter.journal.old");
  });

  it("processes only the first --limit rows, and continues when the limit is raised", async () => {
    const bench = await Bench.open();
    bench.write("data.csv", `${csvOf(2)}1,Zoë\n`);
    const first = await bench.bulk("data.csv", ["--limit", "1"]);
    expect(first).toEqual({ code: 0, stderr: "", printed: `1 document made, in TIME\n${places}\n` });
    const second = await bench.bulk("data.csv", ["--limit", "2"]);
    expect(second.printed).toMatch(/^1 document made, 1 made earlier, in TIME\n/);
    expect((await bench.bulk("data.csv", ["--limit", "3"])).code).toBe(2);
    expect(bench.requestedNos()).toEqual(["1", "2"]);
  });

  it.each([
    ["a file", "data.csv"],
    ["standard input", "-"],
  ])("sends the numbers and booleans that its schema requires from %s, and resumes", async (_title, data) => {
    const bench = await Bench.open();
    const input = "no,net,paid,note,by.name\n1,10.50,TRUE,007,Zoë\n2,,false,,\n";
    if (data !== "-") bench.write(data, input);
    const types = { no: { type: "integer" }, net: { type: "number" }, paid: { type: "boolean" } };
    const by = { type: "object", properties: { name: { type: "string" } } };
    const schema = bench.write("schema.json", JSON.stringify({ properties: { ...types, by } }));
    const args = ["--schema", schema, "--limit", "1"];
    expect(await bench.bulk(data, args, { input })).toMatchObject({ code: 0 });
    const { printed } = await bench.bulk(data, args.slice(0, 2), { input });
    expect(printed).toMatch(/^1 document made, 1 made earlier, in TIME\n/);
    expect(bench.service.requests.map(({ body }) => body)).toEqual([
      '{"no":1,"net":10.5,"paid":true,"note":"007","by":{"name":"Zoë"}}',
      '{"no":2,"paid":false,"note":"","by":{"name":""}}',
    ]);
  });

  it("writes its journal to the --journal path, and sends the values that the schema returns", async () => {
    const bench = await Bench.withRows(1);
    const validate = "(value) => ({ value: { ...value, no: Number(value.no) } })";
    const module = `export default { "~standard": { version: 1, vendor: "ours", validate: ${validate} } };`;
    const flags = ["--schema", bench.write("schema.mjs", module), "--journal", bench.path("notes/a.journal")];
    expect(await bench.bulk("data.csv", flags)).toMatchObject({ code: 0, stderr: "" });
    expect({ documents: bench.files(), notes: bench.files("notes") }).toEqual({
      documents: ["1.pdf"],
      notes: ["a.journal"],
    });
    expect(bench.service.requests[0]?.body).toBe('{"no":1,"name":"Zoë"}');
  });

  it("writes the outcome of every row to a JSON or CSV report", async () => {
    const bench = await Bench.withRows(2, byNumber({ 2: saying(422, '{"message":"\\"no\\", twice"}') }));
    const [json, csv] = [bench.path("reports/a.json"), bench.path("b.csv")];
    const { code, printed } = await bench.bulk("data.csv", ["--report", json, "--concurrency", "1"]);
    expect({ code, printed }).toEqual({
      code: 1,
      printed: expect.stringContaining(`${places}, report reports/a.json\n`),
    });
    const of = (no: number) => ({ line: no + 1, row: no, path: bench.path(`out/${no}.pdf`), attempts: 1 });
    const message = expect.stringMatching(/^Got 422 from .*\\"no\\", twice/);
    const entries = JSON.parse(await bench.read("reports/a.json")) as { line: number }[];
    expect(entries.sort((one, other) => one.line - other.line)).toEqual([
      { ...of(1), status: "made" },
      { ...of(2), status: "failed", code: "bad_request", message },
    ]);
    await bench.bulk("data.csv", ["--report", csv]);
    const [header, ...lines] = (await bench.read("b.csv")).split("\r\n");
    expect(header).toBe("line,row,path,status,attempts,code,message,empty");
    expect(lines.sort()).toEqual([
      "",
      `2,1,${bench.path("out/1.pdf")},made before,,,,`,
      expect.stringContaining(`3,2,${bench.path("out/2.pdf")},failed,1,bad_request,"Got 422 from `),
    ]);
    expect(lines.join()).toContain('saying ""\\""no\\"", twice""');
    expect(bench.files("reports")).toEqual(["a.json"]);
  });
});

describe("the failures of a bulk run", () => {
  it("are printed immediately, and are grouped by cause in the summary", async () => {
    const bench = await Bench.withRows(15, (received) =>
      byNumber(Number(numberOf(received)) > 2 ? { [numberOf(received)]: saying(422) } : {})(received),
    );
    const { code, printed, stderr } = await bench.bulk("data.csv", ["--concurrency", "1"]);
    const why = `Got 422 from ORIGIN for template "letter". Compare the values with the template's placeholders.`;
    expect(code).toBe(1);
    expect(stderr.trimEnd().split("\n")).toEqual([
      ...[4, 5, 6, 7, 8].map((line) => `data.csv:${line}: out/${line - 1}.pdf: ${why}`),
      "further failures are not shown; the summary counts them",
    ]);
    expect(printed.split("\n")).toEqual([
      "2 documents made, 13 failed, in TIME",
      places,
      `13 failed: ${why} (data.csv, lines 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, …)`,
      "Fix the rows that failed, then run the same command again. Finished documents are not requested again.",
      "",
    ]);
  });

  it("contain neither the API key nor cell contents", async () => {
    const bench = await Bench.open(({ headers, body, response }) => {
      response.writeHead(422, { "content-type": "application/json" });
      response.end(JSON.stringify({ message: `${headers.authorization} sent ${body}` }));
    });
    bench.write("data.csv", "no,name\n1,CELL-OF-THE-FIRST\n2,CELL-OF-THE-SECOND\n");
    const report = bench.path("r.json");
    const { printed, stderr } = await bench.bulk("data.csv", ["--report", report, "--debug"]);
    const all = printed + stderr + (await bench.read("r.json")) + (await bench.read("out/letter.journal"));
    expect(all).toContain("Got 422");
    expect(all).not.toMatch(/CELL-OF|CANARY/);
    expect(all).not.toContain(key);
  });
});

/** Line 3 has a wrong total, line 4 one cell too many, and line 6 the path of line 2. */
const data = ["no,total", "1,10", "2,ten", "3,30,x", "4,40", "1,60", ""].join("\n");

async function benchWith(rows: string): Promise<{ bench: Bench; args: string[] }> {
  const bench = await Bench.open(byNumber({ 4: saying(422) }));
  bench.write("data.csv", rows);
  const schema = '{"properties":{"total":{"pattern":"^[0-9]+$"}},"required":["total"]}';
  return { bench, args: ["--schema", bench.write("schema.json", schema), "--concurrency", "1"] };
}

describe("a bulk run with invalid rows", () => {
  it("reports invalid rows and generates the other documents if --skip-invalid is set", async () => {
    const { bench, args } = await benchWith(data);
    const flags = [...args, "--skip-invalid", "--report", bench.path("r.json")];
    const { code, printed, stderr } = await bench.bulk("data.csv", flags);
    expect(code).toBe(1);
    expect(stderr.split("\n").slice(0, 4)).toEqual([
      expect.stringMatching(/^data\.csv:3: total: /),
      expect.stringMatching(/^data\.csv:4: /),
      "data.csv:6: --out resolves to the same path as line 2",
      "3 rows are invalid and skipped, 2 rows are valid.",
    ]);
    expect(printed).toMatch(/^1 document made, 1 failed, 3 invalid, in TIME\n/);
    expect(printed).toContain("Fix the rows that failed or that are invalid, then");
    expect(bench.files()).toEqual(["1.pdf", "letter.journal"]);
    const invalid = { status: "invalid", code: "invalid_row" };
    expect(JSON.parse(await bench.read("r.json"))).toEqual(
      expect.arrayContaining([
        { line: 2, row: 1, path: bench.path("out/1.pdf"), status: "made", attempts: 1 },
        { line: 3, row: 2, ...invalid, message: expect.stringMatching(/^total: /) },
        { line: 4, row: 3, ...invalid, message: expect.stringMatching(/./) },
        { line: 6, row: 5, ...invalid, message: "--out resolves to the same path as line 2" },
      ]),
    );
    bench.write("data.csv", data.replace("2,ten", "2,20").replace("30,x", "30").replace("1,60", "6,60"));
    const next = await bench.bulk("data.csv", args);
    expect(next.printed).toMatch(/^3 documents made, 1 made earlier, 1 failed, in TIME/);
  });

  it.each([
    ["--skip-invalid is omitted", data, []],
    ["--skip-invalid is combined with --dry-run", data, ["--skip-invalid", "--dry-run"]],
    ["--skip-invalid is set but every row is invalid", "no,total\n1,a\n2,b\n", ["--skip-invalid"]],
  ])("sends no requests if %s", async (_, rows, flags) => {
    const { bench, args } = await benchWith(rows);
    const { code, stderr } = await bench.bulk("data.csv", [...args, ...flags]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/ Nothing was sent\.\n$/) });
    expect(bench.service.requests).toEqual([]);
  });
});
