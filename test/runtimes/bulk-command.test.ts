import { spawnSync } from "node:child_process";
import { createWriteStream, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { endingOf, main, runCommand, start, startCommand } from "../cli/command.ts";
import { temporaryFolder } from "../client/every-form.ts";
import { atEnd } from "../support/at-end.ts";
import { type Answer, beginning, pdfOf, Service, withLength } from "../support/service.ts";

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

/** How many documents a journal calls finished: its lines but the first, without one that was cut off. */
function finishedIn(journal: string): number {
  return Math.max(0, readFileSync(journal, "utf8").split("\n").length - 2);
}

/** What a folder of documents holds that is no whole document. */
function brokenIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => {
    const path = join(folder, name);
    return /^\d+\.pdf$/.test(name) ? !readFileSync(path).equals(pdf) : !name.startsWith("letter.journal");
  });
}

describe("template-pdf bulk", () => {
  it("killed again and again, makes every document once more at most where it was not noted", async () => {
    const rowCount = 300;
    const { service, circumstances, args, out } = await setUp(rowCount);
    let kills = 0;
    for (;;) {
      const known = kills === 0 ? 0 : finishedIn(join(out, "letter.journal"));
      const sentBefore = service.requests.length;
      const child = startCommand(args, circumstances);
      const ended = endingOf(child);
      // Another moment every time: counted in requests.
      const until = sentBefore + 20 + ((kills * 37) % 50);
      const killed = service.request(until).then(() => child.kill("SIGKILL"));
      const ending = await Promise.race([ended, killed.then(() => ended)]);
      if (known > 0) expect(ending.stderr).toContain(`: ${known} document`);
      // Documents that were being written have names of their own.
      const odd = brokenIn(out).filter((name) => !/^\..*\.template-pdf$/.test(name));
      expect(odd).toEqual([]);
      if (ending.code === null) {
        kills++;
        continue;
      }
      expect(ending.code).toBe(0);
      expect(ending.stdout.toString()).toContain(`${rowCount - known} documents made, ${known} made before`);
      expect(service.requests.length - sentBefore).toBe(rowCount - known);
      break;
    }
    expect(kills).toBeGreaterThan(3);
    expect(finishedIn(join(out, "letter.journal"))).toBe(rowCount);
    expect(brokenIn(out)).toEqual([]);
    expect(readdirSync(out).filter((name) => /^\d+\.pdf$/.test(name))).toHaveLength(rowCount);
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("finishes what is in hand at the first %s", async (signal, code) => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { service, circumstances, args, out } = await setUp(50, async (received) => {
      await released;
      withLength(pdf)(received);
    });
    const child = startCommand(args, circumstances);
    child.stderr.once("data", release);
    const ended = endingOf(child);
    await service.request(3);
    child.kill(signal);
    const ending = await ended;
    expect(ending).toMatchObject({ code, stderr: "finishing 4 documents; Ctrl-C again stops now\n" });
    expect(ending.stdout.toString()).toMatch(/^4 documents made, 46 left, /);
    expect(service.requests).toHaveLength(4);
    expect(readdirSync(out)).toHaveLength(5);
    expect(brokenIn(out)).toEqual([]);
  });

  it("gives up what is in hand at the second Ctrl-C, and leaves no half of a file", async () => {
    const { service, circumstances, args, out } = await setUp(
      50,
      beginning(pdf.subarray(0, 10_000), { "content-length": String(pdf.length) }),
    );
    const child = startCommand(args, circumstances);
    child.stderr.once("data", () => child.kill("SIGINT"));
    const ended = endingOf(child);
    await service.request(3);
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 130 });
    expect(readdirSync(out)).toEqual(["letter.journal"]);
  });

  it("stops where the disk is full or a file as large as it may be, and goes on when there is room", async () => {
    const { circumstances, args } = await setUp(1500);
    const small = join(circumstances.cwd, "out");
    mkdirSync(small);
    const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", small]).status === 0;
    const unmount = () => void (isMounted && spawnSync("umount", ["--lazy", small]));
    const forget = atEnd(unmount);
    onTestFinished(() => {
      unmount();
      forget();
    });
    const limit = isMounted ? 'exec "$@"' : 'ulimit -f 64; exec "$@"';
    const ending = await endingOf(
      start("sh", ["-c", limit, "sh", process.execPath, main, ...args], circumstances),
    );
    expect(ending.code).toBe(3);
    expect(ending.stderr).toMatch(isMounted ? /the disk is full/ : /larger than a file may be/);
    expect(brokenIn(small)).toEqual([]);
    const made = Number(/^(\d+)/.exec(ending.stdout.toString())?.[1]);
    expect(made).toBeGreaterThan(50);
    if (isMounted) spawnSync("mount", ["-o", "remount,size=100m", small]);
    const second = await runCommand(args, circumstances);
    expect(second).toMatchObject({ code: 0 });
    expect(second.stdout.toString()).toContain(`${made} made before`);
    expect(brokenIn(small)).toEqual([]);
  });

  it("checks 300,000 rows in little memory", async () => {
    const { circumstances } = await setUp(0);
    const big = join(circumstances.cwd, "big.csv");
    const stream = createWriteStream(big);
    stream.write("no,name\n");
    for (let row = 1; row <= 300_000; row++) stream.write(`${row},${"x".repeat(60)}\n`);
    stream.end();
    await finished(stream);
    expect(statSync(big).size).toBeGreaterThan(19_000_000);
    const command = [
      "--max-old-space-size=40",
      main,
      "bulk",
      "letter",
      "big.csv",
      "--out",
      "o/{{no}}.pdf",
      "--dry-run",
    ];
    const ending = await endingOf(start(process.execPath, command, circumstances));
    expect(ending).toMatchObject({ code: 0 });
    expect(ending.stdout.toString()).toBe("big.csv: 300,000 rows are good. Nothing was sent.\n");
  });
});
