import {
  chmod,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { SaveError } from "template-pdf";
import { type BulkResult, type BulkSummary, folder, runBulk } from "template-pdf/bulk";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasFreeNames, hasLinks, hasModes, isWindows } from "../../support/platform.ts";
import { seenFrom } from "../../support/seen-from.ts";
import { type Answer, Service, withLength } from "../../support/service.ts";
import { makeTemporaryFolder } from "../../support/temporary-folder.ts";
import { small } from "../many.ts";

interface Job {
  readonly template: string;
  readonly values: { readonly name: string };
}

const jobsOf = (...names: readonly string[]): Job[] =>
  names.map((name) => ({ template: "t", values: { name } }));

/** Runs into a folder of their own, and what became of each of their jobs. */
async function setUp(answer: Answer = withLength(small)) {
  const service = await Service.start(answer);
  const client = service.client();
  const { path: at, remove } = makeTemporaryFolder("sink");
  onTestFinished(remove);
  const run = async (names: readonly string[], options: object = {}) => {
    const results: BulkResult<Job>[] = [];
    const summary: BulkSummary = await runBulk({
      client,
      jobs: jobsOf(...names),
      sink: folder("out/{{name}}.pdf", { root: at }),
      journal: join(at, "run.journal"),
      onResult: (result) => results.push(result as BulkResult<Job>),
      ...options,
    });
    const errors = results.flatMap((result) => (result.status === "rejected" ? [result.error as Error] : []));
    return { summary, results, errors };
  };
  const files = async (inner = "out") => (await readdir(join(at, inner))).sort();
  return { service, at, run, files };
}

describe("a folder", () => {
  it("loses what a run that was killed has left half written, and nothing else", async () => {
    let isHeld = true;
    const { run, at, files, service } = await setUp(async (received) => {
      if (!isHeld) return void withLength(small)(received);
      received.response.writeHead(200, { "content-length": small.length });
      received.response.write(small.subarray(0, 100));
    });
    const ending = new AbortController();
    const aborted = run(["a"], { signal: ending.signal }).catch((error: unknown) => error);
    await service.request();
    let draft: string | undefined;
    while (draft === undefined) draft = (await files().catch(() => [])).find((name) => name.startsWith("."));
    const [, id, own, rest] = /^\.(\w{16})-(\w{8})-(.+)$/.exec(draft) ?? [];
    const stale = `.${id}-${own?.startsWith("0") ? "1" : "0"}${own?.slice(1)}-${rest}`;
    const foreign = [".fedcba9876543210-00000000-x.template-pdf", `.${rest}`, `.${id}-notes`];
    for (const name of [stale, ...foreign]) await copyFile(join(at, "out", draft), join(at, "out", name));
    ending.abort("as if killed");
    expect(await aborted).toBe("as if killed");
    expect(await files()).toEqual([...foreign, stale].sort());
    isHeld = false;
    await run(["a"]);
    expect(await files()).toEqual([...foreign, "a.pdf"].sort());
  });

  it("loses it as well when the run starts over", async () => {
    const { run, at, files } = await setUp();
    await run(["a"]);
    const { salt } = JSON.parse((await readFile(join(at, "run.journal"), "utf8")).split("\n")[0] ?? "");
    const digest = new Uint8Array(
      await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${salt} id`)),
    );
    const id = Buffer.from(digest).toString("hex").slice(0, 16);
    await writeFile(join(at, "out", `.${id}-00000000-x.template-pdf`), "");
    await run(["a"], { fresh: true });
    expect(await files()).toEqual(["a.pdf"]);
  });

  it.runIf(hasLinks).each([
    ["a folder", "elsewhere", "inner/a"],
    ["a folder that is not there yet, behind one", "elsewhere", "inner/deeper/still/a"],
  ])("refuses a path that leads out of it by a link to %s", async (_title, target, name) => {
    const { run, at, service } = await setUp();
    await mkdir(join(at, "elsewhere"));
    await mkdir(join(at, "out"));
    await symlink(join(at, target), join(at, "out/inner"));
    const sink = folder(`${join(at, "out")}/{{name}}.pdf`);
    const { errors } = await run([name, "b"], { sink });
    expect(errors.map(({ message }) => message)).toEqual([
      `The folder ${JSON.stringify(join(at, "out", dirname(name)))} cannot be written to: a link leads out of ${JSON.stringify(join(at, "out"))} there.`,
    ]);
    expect(await readdir(join(at, "elsewhere"))).toEqual([]);
    expect(service.requests.length).toBe(1);
  });

  it("rejects the one job whose path is a folder, or leads through a file", async () => {
    const { run, at, service, files } = await setUp();
    await mkdir(join(at, "out/a.pdf"), { recursive: true });
    await writeFile(join(at, "out/file"), "mine");
    const { errors, summary } = await run(["a", "file/b", "c"]);
    expect(errors.map((error) => SaveError.is(error) && seenFrom(at, error.message)).sort()).toEqual([
      'Could not save the document to "/out/a.pdf": it is a folder: name a file inside it.',
      'The folder "/out/file" cannot be written to: there is a file of that name.',
    ]);
    expect(summary).toMatchObject({ fulfilled: 1, rejected: 2 });
    expect(service.requests.length).toBe(1);
    expect(await files()).toEqual(["a.pdf", "c.pdf", "file"]);
  });

  it.each([
    ["255 bytes", "x".repeat(251)],
    ["255 bytes of two each", `${"ä".repeat(125)}x`],
    ["emoji", "👩‍👩‍👧 Zoë"],
    ["spaces and dots", " ..a. "],
    ["characters that URLs have a meaning for", isWindows ? "100% #1&a=b&c" : "100% #1?a=b&c"],
    ["quotes", "b'c"],
    ...(hasFreeNames ? [["backslashes and quotes", "a\\b'c\"d"]] : []),
  ])("names a file by what the values say: %s", async (_title, name) => {
    const { run, files } = await setUp();
    expect((await run([name])).summary.fulfilled).toBe(1);
    expect(await files()).toEqual([`${name}.pdf`]);
    expect((await run([name])).summary.skipped).toBe(1);
  });

  it("tells of each job where it is, and how large", async () => {
    const { run, at } = await setUp();
    const { results } = await run(["a"]);
    const value = { path: join(at, "out/a.pdf"), bytes: small.length };
    expect(results).toMatchObject([{ status: "fulfilled", value }]);
  });

  it.runIf(hasModes)("keeps the mode of a document that it replaces", async () => {
    const { run, at } = await setUp();
    await run(["a"]);
    await chmod(join(at, "out/a.pdf"), 0o600);
    await run(["a"], { fresh: true });
    expect((await stat(join(at, "out/a.pdf"))).mode & 0o777).toBe(0o600);
  });

  it.runIf(process.platform !== "win32").each([
    ["is there", true],
    ["the run makes", false],
  ])(
    "sends nothing for the files of a folder inside of it that %s and takes none",
    async (_title, isThere) => {
      const { run, at, service, files } = await setUp();
      // So deep that a short name fits, and that of a draft does not.
      const depth = (process.platform === "linux" ? 4096 : 1024) - join(at, "out").length - 30;
      const deep = Array.from({ length: depth }, (_, place) => (place % 200 === 100 ? "/" : "x")).join("");
      if (isThere) await mkdir(join(at, "out", deep), { recursive: true });
      const names = Array.from({ length: 20 }, (_, n) => `${deep}/${n}`);
      const { errors } = await run([...names, "a"]);
      expect(errors.map((error) => SaveError.is(error) && error.message)).toEqual(
        names.map(() => `The folder "${join(at, "out", deep)}" cannot be written to: its name is too long.`),
      );
      expect(service.requests.length).toBe(1);
      expect(await files()).toEqual(["a.pdf", deep.slice(0, 100)]);
    },
  );

  it("that goes away rejects what can no longer be stored, and sends nothing for the jobs after that", async () => {
    const { run, at, service } = await setUp(async (received) => {
      await rm(join(at, "out"), { recursive: true });
      withLength(small)(received);
    });
    const { errors, summary } = await run(["a", "b", "c"], { concurrency: 1 });
    expect(errors.map(({ message }) => seenFrom(at, message))).toEqual(
      ["a", "b", "c"].map(
        (name) =>
          `Could not save the document to "/out/${name}.pdf": its folder does not exist: create it first.`,
      ),
    );
    // One reason, whatever the paths.
    expect(summary.failures).toMatchObject([{ code: "not_saved", count: 3, indexes: [0, 1, 2] }]);
    expect(service.requests.length).toBe(1);
  });

  it("that goes away with documents that are not recorded ends the run", async () => {
    const { run, at } = await setUp();
    const inner = folder("out/{{name}}.pdf", { root: at });
    const sink = {
      keyOf: (job: Job) => inner.keyOf(job),
      put: inner.put.bind(inner),
      async sync() {
        await rename(join(at, "out"), join(at, "elsewhere"));
        await inner.sync?.();
      },
    };
    const error = await run(["a", "b"], { sink, concurrency: 1 }).catch((thrown: unknown) => thrown);
    expect(SaveError.is(error) && seenFrom(at, error.message)).toBe(
      'The folder "/out" could not be synced: it is not there any more. What was stored there last is not recorded.',
    );
    expect((await run(["a", "b"], { sink: inner, fresh: true })).summary).toMatchObject({ fulfilled: 2 });
  });

  it("serves one run after another", async () => {
    const { run, at } = await setUp();
    const sink = folder("out/{{name}}.pdf", { root: at });
    await run(["a", "b"], { sink });
    await rm(join(at, "out"), { recursive: true });
    expect((await run(["a", "b"], { sink, fresh: true })).summary).toMatchObject({
      fulfilled: 2,
      rejected: 0,
    });
  });
});
