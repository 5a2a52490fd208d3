import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { endingOf, runCommand, runInShell, startCommand } from "../cli/command.ts";
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
    stderr: expect.stringMatching(/^run 2026-11, job 1: /m),
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
    await service.request(2);
    worker.kill("SIGTERM");
    await once(worker.stderr, "data");
    release();
    const { code, stdout, stderr } = await ended;
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("finishing 3 documents; press Ctrl-C again to stop now\n");
    expect(stdout.toString()).toMatch(/^3 documents generated, in /);
    expect(documents()).toHaveLength(3);
    expect(await cells()).toEqual(["nov", "10", "3", "0", "7", "0"]);
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
    [143, "on the second SIGTERM", { answer: () => {}, message: /^finishing 2 documents/m }],
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
});
