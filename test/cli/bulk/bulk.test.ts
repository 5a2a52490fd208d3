import { appendFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { saying } from "../../support/service.ts";
import { Bench, byNo, csvOf, key, noOf, smallPdf } from "./command.ts";

const places = "folder out, journal out/letter.journal";

describe("bulk", () => {
  it("generates a document from every row of a CSV file, and prints their folder", async () => {
    const bench = await Bench.open();
    bench.write("data.csv", 'no;name\n1;Zoë\n2;"O\'Neil; Søn"\n');
    expect(await bench.bulk("data.csv")).toEqual({
      code: 0,
      printed: `2 documents made, in TIME\n${places}\n`,
      stderr: "",
    });
    expect(bench.files()).toEqual(["1.pdf", "2.pdf", "letter.journal"]);
    expect((await bench.read("out/1.pdf")).length).toBe(smallPdf.length);
    expect(bench.service.requests.map(({ body }) => body).sort()).toEqual([
      '{"no":"1","name":"Zoë"}',
      '{"no":"2","name":"O\'Neil; Søn"}',
    ]);
    expect(bench.service.requests[0]?.path).toBe("/api/v1/templates/letter/generate-sync");
  });

  it("sends numbers and nested values from standard input unchanged", async () => {
    const bench = await Bench.open();
    const input = '{"no":1,"lines":[{"price":2.5}]}\n\n{"no":2}\n';
    expect(await bench.bulk("-", ["--concurrency", "1"], input)).toMatchObject({ code: 0, stderr: "" });
    expect(bench.service.requests.map(({ body }) => body)).toEqual([
      '{"no":1,"lines":[{"price":2.5}]}',
      '{"no":2}',
    ]);
  });

  it("resumes with the rows that failed, are new or have changed", async () => {
    let isBroken = true;
    const bench = await Bench.withRows(3, (received) =>
      byNo(isBroken ? { 2: saying(422, '{"message":"no"}') } : {})(received),
    );
    expect((await bench.bulk("data.csv")).code).toBe(1);
    isBroken = false;
    await appendFile(bench.path("data.csv"), "4,Zoë\n");
    bench.write("data.csv", (await bench.read("data.csv")).replace("3,Zoë", "3,Zoé"));
    const before = bench.service.requests.length;
    expect(await bench.bulk("data.csv")).toEqual({
      code: 0,
      printed: `3 documents made, 1 made before, in TIME\n${places}\n1 row changed since an earlier run, and was generated again.\n`,
      stderr: "resuming out/letter.journal: 2 documents are recorded as finished; 4 rows to go through\n",
    });
    expect(bench.service.requests.slice(before).map(noOf).sort()).toEqual(["2", "3", "4"]);
  });

  it("reports documents whose rows were removed, and keeps their files", async () => {
    const bench = await Bench.withRows(3);
    await bench.bulk("data.csv");
    bench.write("data.csv", csvOf(1));
    expect((await bench.bulk("data.csv")).printed).toBe(
      `0 documents made, 1 made before, in TIME\n${places}\n2 documents of earlier runs no longer have a row, and stay where they are.\n`,
    );
    expect(bench.files()).toContain("3.pdf");
    // With --limit, it does not know which rows exist after the limit.
    expect((await bench.bulk("data.csv", ["--limit", "1"])).printed).not.toContain("no row any more");
  });

  it("starts over with --fresh, and keeps the old journal", async () => {
    const bench = await Bench.withRows(2);
    await bench.bulk("data.csv");
    expect(await bench.bulk("data.csv", ["--fresh"])).toMatchObject({ code: 0, stderr: "" });
    expect(bench.requestedNos()).toEqual(["1", "1", "2", "2"]);
    expect(bench.files()).toContain("letter.journal.old");
  });

  it.each<[title: string, name: string, text: string]>([
    ["a later row has the path of the first", "data.csv", `${csvOf(2)}1,Zoë\n`],
    ["a later row has too many cells", "data.csv", `${csvOf(2)}3,x,y\n4,y\n`],
    ["a later row is not JSON", "data.ndjson", '{"no":1}\n{"no":2}\n{"no":\n'],
    ["the array is never closed", "data.json", '[{"no":1},{"no":2}'],
  ])("--limit generates the first rows, and the next run more, although %s", async (_title, name, text) => {
    const bench = await Bench.open();
    bench.write(name, text);
    const first = await bench.bulk(name, ["--limit", "1"]);
    expect(first).toEqual({ code: 0, stderr: "", printed: `1 document made, in TIME\n${places}\n` });
    const second = await bench.bulk(name, ["--limit", "2"]);
    expect(second.printed).toMatch(/^1 document made, 1 made before, in TIME\n/);
    expect((await bench.bulk(name, ["--limit", "3"])).code).toBe(2);
    expect(bench.requestedNos()).toEqual(["1", "2"]);
  });

  it("checks all rows with --dry-run and without an API key, and sends nothing", async () => {
    const bench = await Bench.withRows(1200);
    const flags = ["--dry-run", "--base-url", "nowhere"];
    const printed = "data.csv: 1,200 rows are good. Nothing was sent.\n";
    expect(await bench.bulk("data.csv", flags)).toEqual({ code: 0, printed, stderr: "" });
    bench.write("data.csv", `${csvOf(2)}2,Zoë\n`);
    expect(await bench.bulk("data.csv", flags)).toMatchObject({ code: 2, printed: "" });
    expect(bench.service.requests).toEqual([]);
    expect(bench.files(".")).toEqual(["data.csv"]);
  });

  it("writes its journal to the path of --journal", async () => {
    const bench = await Bench.withRows(1);
    await bench.bulk("data.csv", ["--journal", bench.path("notes/a.journal")]);
    expect([bench.files(), bench.files("notes")]).toEqual([["1.pdf"], ["a.journal"]]);
  });

  it("sends the output of the schema", async () => {
    const bench = await Bench.withRows(1);
    const schema = bench.write(
      "schema.mjs",
      `export default { "~standard": { version: 1, vendor: "ours", validate: (value) => ({ value: { ...value, no: Number(value.no) } }) } };`,
    );
    expect(await bench.bulk("data.csv", ["--schema", schema])).toMatchObject({ code: 0, stderr: "" });
    expect(bench.service.requests[0]?.body).toBe('{"no":1,"name":"Zoë"}');
  });

  it("reports the outcome of every row as JSON and as CSV", async () => {
    const bench = await Bench.withRows(3, byNo({ 2: saying(422, '{"message":"\\"no\\", twice"}') }));
    const [json, csv] = [bench.path("reports/a.json"), bench.path("b.csv")];
    const { code, printed } = await bench.bulk("data.csv", ["--report", json, "--concurrency", "1"]);
    expect(code).toBe(1);
    expect(printed).toContain(`${places}, report reports/a.json\n`);
    const of = (no: number) => ({ line: no + 1, row: no, path: bench.path(`out/${no}.pdf`), attempts: 1 });
    const entries = JSON.parse(await bench.read("reports/a.json")) as { line: number }[];
    expect(entries.sort((one, other) => one.line - other.line)).toEqual([
      { ...of(1), status: "made" },
      {
        ...of(2),
        status: "failed",
        code: "bad_request",
        message: expect.stringMatching(/^Got 422 from .*\\"no\\", twice/),
      },
      { ...of(3), status: "made" },
    ]);
    await bench.bulk("data.csv", ["--report", csv]);
    const lines = (await bench.read("b.csv")).split("\r\n");
    expect(lines[0]).toBe("line,row,path,status,attempts,code,message");
    expect(lines.slice(1).sort()).toEqual([
      "",
      `2,1,${bench.path("out/1.pdf")},made before,,,`,
      expect.stringContaining(`3,2,${bench.path("out/2.pdf")},failed,1,bad_request,"Got 422 from `),
      `4,3,${bench.path("out/3.pdf")},made before,,,`,
    ]);
    expect(lines.join()).toContain('saying ""\\""no\\"", twice""');
    expect(bench.files("reports")).toEqual(["a.json"]);
  });
});

describe("the failures of bulk", () => {
  it("are printed immediately up to five, and grouped by cause in the summary", async () => {
    const bench = await Bench.withRows(15, (received) =>
      byNo(Number(noOf(received)) > 2 ? { [noOf(received)]: saying(422) } : {})(received),
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

  it("identify the rows of a JSON array by their numbers", async () => {
    const bench = await Bench.open(byNo({ b: saying(400) }));
    bench.write("data.json", '[{"no":"a"},{"no":"b"}]');
    const { printed, stderr } = await bench.bulk("data.json");
    expect(stderr).toMatch(/^data\.json:1, row 2: out\/b\.pdf: /);
    expect(printed).toContain("(data.json, row 2)");
  });

  it("contain neither the API key nor the content of cells", async () => {
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
