import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { endingOf, runCommand, runInShell, startCommand } from "../cli/command.ts";
import { temporaryFolder } from "../client/every-form.ts";
import { blocksOf } from "../support/blocks-of.ts";
import { eventually } from "../support/eventually.ts";
import { startRedis } from "../support/redis-server.ts";
import { type Answer, pdfOf, Service, saying, withLength } from "../support/service.ts";

/** Tests `bulk --queue`, `work` and `runs` with the built command and a Redis server. */

const pdf = pdfOf(20_000);
const password = "CANARY-password";
const guide = readFileSync(
  fileURLToPath(new URL("../../docs/guides/command-line.md", import.meta.url)),
  "utf8",
);

async function setUp(rowCount: number, answer: Answer = withLength(pdf)) {
  const service = await Service.start(answer);
  const redis = await startRedis(["--requirepass", password]);
  const cwd = temporaryFolder();
  const rows = Array.from({ length: rowCount }, (_, index) => ({ customer: { name: `${index + 1}` } }));
  writeFileSync(join(cwd, "rows.ndjson"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const url = redis.url.replace("//", `//:${password}@`);
  const env = {
    TEMPLATE_PDF_API_KEY: "CANARY-key",
    TEMPLATE_PDF_BASE_URL: service.baseUrl,
    TEMPLATE_PDF_QUEUE_URL: url,
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
  /** The cells of a run in the table. */
  const cells = async (name = "nov") => {
    const { stdout } = await run("runs");
    const line = stdout.split("\n").find((each) => each.startsWith(`${name} `)) ?? expect.fail(stdout);
    return line.split(/ {2,}/);
  };
  return { redis, url, service, circumstances, run, work, documents, cells };
}

describe("the commands of a queue", () => {
  it("generate the documents of a run, as in the guide", async () => {
    const { service, circumstances, cells, run, documents } = await setUp(30);
    const block = blocksOf(guide, "sh").find((text) => text.includes("--queue")) ?? expect.fail();
    const [exporting, adding = "", working = "", showing = ""] = block.trim().split("\n");
    expect(exporting).toBe("export TEMPLATE_PDF_QUEUE_URL=redis://127.0.0.1:6379");
    const type = (line: string) => runInShell(line.replace("npx template-pdf", '"$@"'), [], circumstances);
    for (const counts of ["30 added, 0 known", "0 added, 30 known"]) {
      const { code, stdout } = await type(adding);
      expect(code).toBe(0);
      expect(stdout.toString()).toBe(
        `run 2026-11: ${counts}\n` +
          "generate the documents: template-pdf work --out <pattern>\n" +
          "watch the runs: template-pdf runs\n",
      );
    }
    expect(service.requests).toEqual([]);
    expect(await cells("2026-11")).toEqual(["2026-11", "30", "0", "0", "30", "0", "0/s", "-"]);
    // Does not use a shell, because a shell would not forward the signal.
    const words = working.replace("npx template-pdf ", "").replaceAll('"', "").split(" ");
    const worker = startCommand(words, circumstances);
    const ended = endingOf(worker);
    await eventually(async () => (await cells("2026-11"))[2] === "30");
    worker.kill("SIGTERM");
    const ending = await ended;
    expect([ending.code, ending.stdout.toString()]).toEqual([
      0,
      expect.stringMatching(/^30 documents generated, in /),
    ]);
    expect((await type(showing)).stdout.toString()).toMatch(/^2026-11 +30 +30 +0 +0 +0 +- +done$/m);
    expect(documents()).toHaveLength(30);
    expect(documents().every((bytes) => bytes.equals(pdf))).toBe(true);
    expect(await run("runs", "--remove", "2026-11")).toMatchObject({ code: 0 });
    expect(await run("runs")).toMatchObject({ code: 0, stdout: "the queue template-pdf has no runs\n" });
  });

  it("a worker finishes jobs in flight at SIGTERM, and leaves the others in the queue", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { service, run, work, documents, cells } = await setUp(10, (received) =>
      released.then(() => withLength(pdf)(received)),
    );
    await run("bulk", "letter", "rows.ndjson", "--queue", "--run", "nov");
    const worker = work("--concurrency", "3");
    const ended = endingOf(worker);
    await service.request(2);
    worker.kill("SIGTERM");
    await once(worker.stderr, "data");
    release();
    const ending = await ended;
    expect(ending.code, ending.stderr).toBe(0);
    expect(ending.stderr).toContain("finishing 3 documents; press Ctrl-C again to stop now\n");
    expect(ending.stdout.toString()).toMatch(/^3 documents generated, in /);
    expect(documents()).toHaveLength(3);
    expect((await cells()).slice(0, 6)).toEqual(["nov", "10", "3", "0", "7", "0"]);
  });

  it("a worker exits with 143 at the second SIGTERM, and its jobs return to the queue", async () => {
    const hanging: Answer = () => {};
    const { service, run, work, cells } = await setUp(2, hanging);
    await run("bulk", "letter", "rows.ndjson", "--queue", "--run", "nov");
    const first = work();
    const ended = endingOf(first);
    await service.request(1);
    first.kill("SIGTERM");
    await once(first.stderr, "data");
    first.kill("SIGTERM");
    expect((await ended).code).toBe(143);
    expect((await cells()).slice(0, 6)).toEqual(["nov", "2", "0", "0", "2", "0"]);
  });

  it("a worker with a wrong API key exits with 3, and its jobs stay in the queue", async () => {
    const { run, work, cells } = await setUp(2, saying(401, "{}"));
    await run("bulk", "letter", "rows.ndjson", "--queue", "--run", "nov");
    const { code, stderr } = await endingOf(work());
    expect(code, stderr).toBe(3);
    expect(stderr).toMatch(
      /^template-pdf: The worker stopped unexpectedly: .*Its jobs are still in the queue\.$/m,
    );
    expect((await cells()).slice(0, 6)).toEqual(["nov", "2", "0", "0", "2", "0"]);
  });

  it("list failed jobs, and let workers retry them", async () => {
    let isBroken = true;
    const { run, work, cells } = await setUp(3, (received) =>
      (isBroken && received.body.includes('"2"') ? saying(422, '{"detail":"no"}') : withLength(pdf))(
        received,
      ),
    );
    await run("bulk", "letter", "rows.ndjson", "--queue", "--run", "nov");
    const worker = work();
    let told = "";
    worker.stderr.on("data", (text) => {
      told += text;
    });
    await eventually(async () => (await cells()).slice(2, 4).join() === "2,1");
    expect(told).toMatch(/^run nov, job 1: /m);
    expect((await run("runs", "--failures", "nov")).stdout).toMatch(/^job 1: bad_request: .+\n$/);
    isBroken = false;
    const { stdout } = await run("runs", "--retry", "nov");
    expect(stdout).toBe("run nov: 1 failed job queued again for a worker\n");
    await eventually(async () => (await cells()).slice(2, 4).join() === "3,0");
    expect((await run("runs", "--failures", "nov")).stdout).toBe("run nov: no job has failed\n");
    expect(await run("runs", "--failures", "dec")).toMatchObject({ code: 1 });
  });

  it("never show the password, even if Redis refuses it", async () => {
    const { url, run } = await setUp(1);
    const wrong = url.replace(password, `${password}2`);
    for (const args of [["runs"], ["bulk", "letter", "rows.ndjson", "--run", "nov"]]) {
      const { code, stderr } = await run(...args, "--queue", wrong, "--debug");
      expect(code).toBe(1);
      expect(stderr).toMatch(/^template-pdf: Redis at 127\.0\.0\.1:\d+ rejects the user or the password\./);
    }
  });
});
