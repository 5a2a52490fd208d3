import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { run as runCli } from "../../src/cli/run.ts";
import { endingOf, runCommand, runInShell, startCommand } from "../cli/command.ts";
import { FakeTerminal, type RecordedOutput } from "../cli/fake-terminal.ts";
import { blocksOf } from "../support/blocks-of.ts";
import { eventually } from "../support/eventually.ts";
import { startRedis } from "../support/redis-server.ts";
import { type Answer, heldBack, pdfOf, Service, saying, withLength } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Tests `bulk --queue`, `work` and `runs` with the built command and a Redis server. */

const pdf = pdfOf(20_000);
const guide = readFileSync(
  fileURLToPath(new URL("../../docs/guides/command-line.md", import.meta.url)),
  "utf8",
);

async function setUp(rowCount: number, answer: Answer = withLength(pdf)) {
  const service = await Service.start(answer);
  const redis = await startRedis(["--requirepass", "CANARY-password"]);
  const cwd = temporaryFolder();
  const rows = Array.from({ length: rowCount }, (_, index) => ({ customer: { name: `${index + 1}` } }));
  writeFileSync(join(cwd, "rows.ndjson"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const env = {
    TEMPLATE_PDF_API_KEY: "CANARY-key",
    TEMPLATE_PDF_BASE_URL: service.baseUrl,
    TEMPLATE_PDF_QUEUE_URL: redis.url.replace("//", "//:CANARY-password@"),
    TEMPLATE_PDF_QUEUE_KEY: Buffer.alloc(32, 7).toString("base64"),
  };
  const circumstances = { cwd, env };
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(args, circumstances);
    expect(`${stdout}${stderr}`).not.toContain("CANARY");
    return { code, stdout: stdout.toString(), stderr };
  };
  const work = (...args: string[]) =>
    startCommand(["work", "--out", "letters/{{customer.name}}.pdf", ...args], circumstances);
  const documents = () =>
    readdirSync(join(cwd, "letters")).map((name) => readFileSync(join(cwd, "letters", name)));
  /** The name and the counts of a run in the table. */
  const cells = async (name = "nov") => {
    const { stdout } = await run("runs");
    const line = stdout.split("\n").find((each) => each.startsWith(`${name} `)) ?? expect.fail(stdout);
    return line.split(/ {2,}/).slice(0, 6);
  };
  const add = () => run("bulk", "letter", "rows.ndjson", "--queue", "--run", "nov");
  return { service, circumstances, run, add, work, documents, cells };
}

/** The commands of the guide that add a run to a queue, generate its documents, and show its progress. */
function commandsOfGuide() {
  const block = blocksOf(guide, "sh").find((text) => text.includes("--queue")) ?? expect.fail();
  const [exporting, adding = "", working = "", showing = ""] = block.trim().split("\n");
  expect(exporting).toBe("export TEMPLATE_PDF_QUEUE_URL=redis://127.0.0.1:6379");
  return { adding, working, showing };
}

/** What a command prints that added a run, or did not add its jobs again. */
function addedRun(counts: string) {
  const stdout =
    `run 2026-11: ${counts}\n` +
    "generate the documents: template-pdf work --out <pattern>\n" +
    "watch the runs: template-pdf runs\n";
  return { code: 0, stdout };
}

async function expectWorkedWithOneFailure(ended: ReturnType<typeof endingOf>): Promise<void> {
  const { code, stdout, stderr } = await ended;
  expect({ code, stdout: stdout.toString(), stderr }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^30 documents generated, 1 failed, in /),
    stderr: expect.stringMatching(/^\S+Z run 2026-11, job 1: /m),
  });
}

describe("the queue commands", () => {
  it("generate a run's documents as the guide describes, and retry a failed job", async () => {
    let isBroken = true;
    const answer: Answer = (received) => {
      const isRejected = isBroken && received.body.includes('"2"');
      return (isRejected ? saying(422, '{"detail":"no"}') : withLength(pdf))(received);
    };
    const { service, circumstances, cells, run, documents } = await setUp(30, answer);
    const { adding, working, showing } = commandsOfGuide();
    const type = async (line: string) => {
      const { code, stdout } = await runInShell(line.replace("npx template-pdf", '"$@"'), [], circumstances);
      return { code, stdout: stdout.toString() };
    };

    expect(await type(adding)).toEqual(addedRun("30 added, 0 known"));
    expect(await type(adding)).toEqual(addedRun("0 added, 30 known"));
    expect(service.requests).toEqual([]);
    expect(await cells("2026-11")).toEqual(["2026-11", "30", "0", "0", "30", "0"]);

    // Does not use a shell, because a shell would not forward the signal.
    const words = working.replace("npx template-pdf ", "").replaceAll('"', "").split(" ");
    const worker = startCommand(words, circumstances);
    const ended = endingOf(worker);
    await eventually(async () => (await cells("2026-11")).slice(2, 4).join() === "29,1");
    expect((await run("runs", "--failures", "2026-11")).stdout).toMatch(/^job 1: bad_request: .+\n$/);

    isBroken = false;
    const retried = "run 2026-11: 1 failed job queued again for a worker\n";
    expect((await run("runs", "--retry", "2026-11")).stdout).toBe(retried);
    await eventually(async () => (await cells("2026-11"))[2] === "30");
    expect((await run("runs", "--failures", "2026-11")).stdout).toBe("run 2026-11: no jobs have failed\n");

    worker.kill("SIGTERM");
    await expectWorkedWithOneFailure(ended);
    expect((await type(showing)).stdout).toMatch(/^2026-11 +30 +30 +0 +0 +0 +- +done$/m);
    expect(documents()).toEqual(Array(30).fill(pdf));
    expect(await run("runs", "--remove", "2026-11")).toMatchObject({ code: 0 });
    expect(await run("runs")).toMatchObject({ code: 0, stdout: "the template-pdf queue has no runs\n" });
  });

  it("let a worker finish its in-flight jobs after SIGTERM, and leave other jobs in the queue", async () => {
    const { answer, release } = heldBack(withLength(pdf));
    const { service, add, work, documents, cells } = await setUp(10, answer);
    await add();
    const worker = work("--concurrency", "3");
    const ended = endingOf(worker);
    // Before the first response, a worker has at most two documents in flight.
    await service.request(1);
    worker.kill("SIGTERM");
    await once(worker.stderr, "data");
    release();
    const { code, stdout, stderr } = await ended;
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("finishing 2 documents; press Ctrl-C again to stop now\n");
    expect(stdout.toString()).toMatch(/^2 documents generated, in /);
    expect(documents()).toHaveLength(2);
    expect(await cells()).toEqual(["nov", "10", "2", "0", "8", "0"]);
  });

  it("process a run that was added without a key only with --accept-unsealed", async () => {
    const { circumstances, run, work, cells } = await setUp(2);
    const env = { ...circumstances.env, TEMPLATE_PDF_QUEUE_KEY: "" };
    const adding = ["bulk", "letter", "rows.ndjson", "--queue", "--run", "nov"];
    expect(await runCommand(adding, { ...circumstances, env })).toMatchObject({ code: 0 });
    const message =
      'The run "nov" was added without a TEMPLATE_PDF_QUEUE_KEY. Set --accept-unsealed until it is finished';
    expect(await endingOf(work())).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
    expect(await run("runs", "--failures", "nov")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(message),
    });
    const worker = work("--accept-unsealed");
    const ended = endingOf(worker);
    await eventually(async () => (await cells())[2] === "2");
    const noFailures = { code: 0, stdout: "run nov: no jobs have failed\n" };
    expect(await run("runs", "--failures", "nov", "--accept-unsealed")).toMatchObject(noFailures);
    worker.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0 });
  });

  const stopped = /^template-pdf: The worker stopped unexpectedly: .*Its jobs are still in the queue\.$/m;
  it.each<[code: number, when: string, row: { readonly answer: Answer; readonly message: RegExp }]>([
    [143, "on the second SIGTERM", { answer: () => {}, message: /^\S+Z finishing 2 documents/m }],
    [3, "because its API key is invalid", { answer: saying(401, "{}"), message: stopped }],
  ])("keep jobs in the queue if a worker exits with code %i %s", async (code, _when, { answer, message }) => {
    const { service, add, work, cells } = await setUp(2, answer);
    await add();
    const worker = work();
    const ended = endingOf(worker);
    if (code === 143) {
      await service.request(1);
      worker.kill("SIGTERM");
      await once(worker.stderr, "data");
      worker.kill("SIGTERM");
    }
    expect(await ended).toMatchObject({ code, stderr: expect.stringMatching(message) });
    expect(await cells()).toEqual(["nov", "2", "0", "0", "2", "0"]);
  });

  it("pause, resume, repair and cancel a run, and show its state", async () => {
    const { run, work, cells, add, service } = await setUp(3);
    await add();
    const act = async (action: string) => (await run("runs", action, "nov")).stdout;
    const last = async () => (await run("runs")).stdout.trimEnd().split("\n").slice(1);

    expect(await act("--pause")).toBe("run nov: paused; its documents in flight will still be finished\n");
    const worker = work();
    const ended = endingOf(worker);
    await eventually(async () => (await last()).includes("1 worker"));
    expect(await last()).toEqual([
      expect.stringMatching(/^nov +3 +0 +0 +3 +0 +0\/s +paused$/),
      "1 worker",
      "nov: the run is paused",
    ]);
    expect(service.requests).toEqual([]);
    expect(await act("--repair")).toBe("run nov: 0 jobs queued again, 0 lost jobs failed\n");

    expect(await act("--resume")).toBe("run nov: resumed\n");
    await eventually(async () => (await cells())[2] === "3");
    worker.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0 });
    expect((await run("runs", "--retry", "nov")).stdout).toBe(
      "run nov: 0 failed jobs queued again for a worker\n",
    );

    await run("bulk", "invoice", "rows.ndjson", "--queue", "--run", "nov");
    expect(await act("--cancel")).toBe("run nov: cancelled; its counts and failures are kept\n");
    expect(await last()).toEqual([
      expect.stringMatching(/^nov +6 +3 +0 +0 +0 +- +cancelled$/),
      "0 workers",
      "nov: 3 jobs cancelled",
    ]);
    expect(await run("runs", "--pause", "dec")).toMatchObject({
      code: 1,
      stderr: 'template-pdf: The "template-pdf" queue has no run "dec".\n',
    });
  });

  it("read a CSV file as a run without a queue does", async () => {
    const { circumstances, run, work, service, cells } = await setUp(0);
    const rows = "customer.name,net,due,paid\n1,10.50,2026-11-30,TRUE\n,,,\n2,,2026-12-31,false\n";
    writeFileSync(join(circumstances.cwd, "rows.csv"), rows);
    const properties = {
      net: { type: "number" },
      paid: { type: "boolean" },
      due: { type: "string", format: "date" },
    };
    const customer = { type: "object", properties: { name: { type: "string" } } };
    const schema = JSON.stringify({ properties: { ...properties, customer } });
    writeFileSync(join(circumstances.cwd, "schema.json"), schema);
    const adding = ["bulk", "letter", "rows.csv", "--schema", "schema.json", "--queue", "--run", "nov"];
    const notes = [
      "rows.csv: 1 blank line is skipped.",
      'rows.csv: "net" is empty in 1 of 2 rows (line 4).',
      "To refuse such rows, add --required net.",
    ];
    const valid = "rows.csv: 2 rows are valid. Nothing was sent.";
    expect(await run(...adding, "--dry-run")).toEqual({
      code: 0,
      stdout: `${[...notes, valid].join("\n")}\n`,
      stderr: "",
    });
    const refused = await run(...adding, "--required", "net");
    expect({ code: refused.code, stderr: refused.stderr.split("\n")[0] }).toEqual({
      code: 2,
      stderr: "template-pdf: rows.csv:4: net: is empty or missing, but --required names it",
    });
    const added = await run(...adding);
    expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^run nov: 2 added, 0 known\n/) });
    expect(added.stderr.replace(/^\S+Z /gm, "")).toBe(`${notes.join("\n")}\n`);
    const worker = work("--concurrency", "1");
    const ended = endingOf(worker);
    await eventually(async () => (await cells())[2] === "2");
    worker.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0 });
    expect(service.requests.map(({ body }) => body).sort()).toEqual([
      '{"customer":{"name":"1"},"net":10.5,"due":"2026-11-30","paid":true}',
      '{"customer":{"name":"2"},"due":"2026-12-31","paid":false}',
    ]);
  });

  it("do not begin a run before the time in --not-before", async () => {
    const { run, work, cells, service } = await setUp(1);
    const time = new Date(Date.now() + 3_600_000).toISOString();
    const adding = ["bulk", "letter", "rows.ndjson", "--queue", "--run"];
    await run(...adding, "later", "--not-before", time);
    await run(...adding, "now", "--not-before", "2020-01-01T00:00:00.5+01:00");
    const worker = work("--recover-after", "5s");
    const ended = endingOf(worker);
    await eventually(async () => (await cells("now"))[2] === "1");
    expect(await cells("later")).toEqual(["later", "1", "0", "0", "1", "0"]);
    expect(service.requests).toHaveLength(1);
    worker.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0 });
    const late = await run(...adding, "late", "--not-before", "2040-01-01T00:00Z");
    expect(late.code).toBe(2);
    expect(late.stderr).toContain("Expected --not-before to be a valid Date before 2038");
  });

  it("show a table with at most the columns and lines of the terminal", async () => {
    const { circumstances, run } = await setUp(1);
    const names = Array.from({ length: 5 }, (_, index) => `run-${index + 1}`);
    for (const name of names) await run("bulk", "letter", "rows.ndjson", "--queue", "--run", name);
    await run("runs", "--pause", "run-5");
    const terminal = new FakeTerminal();
    Object.assign(terminal, { env: circumstances.env });
    const stdout = Object.assign(terminal.stdout as RecordedOutput, { isTTY: true, columns: 24, rows: 7 });
    const ended = runCli(["runs"], terminal);
    await stdout.shows("\u001b[6A");
    terminal.emit("SIGINT");
    expect(await ended).toBe(0);
    const [first = ""] = stdout.text.split("\u001b");
    expect(first.split("\n")).toEqual([
      "run    total  fulfilled",
      "run-1      1          0",
      "run-2      1          0",
      "3 more runs are not sho",
      "0 workers",
      "run-5: the run is pause",
      "",
    ]);
  });

  it("print the error of a run that a worker cannot read only once", async () => {
    const { circumstances, add, work } = await setUp(1);
    await add();
    const env = { ...circumstances.env, TEMPLATE_PDF_QUEUE_KEY: "" };
    const worker = startCommand(["work", "--out", "{{customer.name}}.pdf"], { ...circumstances, env });
    const { code, stderr } = await endingOf(worker);
    expect(code).toBe(1);
    expect(stderr.match(/is sealed\. Set TEMPLATE_PDF_QUEUE_KEY/g), stderr).toHaveLength(1);
    const because =
      "template-pdf: The worker stopped because of this error. Its jobs are still in the queue.\n";
    expect(stderr.endsWith(because), stderr).toBe(true);

    const refused = work("--base-url", "http://127.0.0.1:1", "--give-up-after", "1ms");
    const ending = await endingOf(refused);
    expect(ending.code).toBe(3);
    expect(ending.stderr.match(/The worker stopped/g), ending.stderr).toHaveLength(1);
  });
});
