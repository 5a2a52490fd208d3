import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SaveError } from "template-pdf";
import { folder } from "template-pdf/bulk";
import { describe, expect, it } from "vitest";
import { parsePattern } from "../../../src/bulk/folder/placeholders.ts";
import { ConfigurationError } from "../../../src/index.ts";
import { hasFreeNames, hasModes, isWindows } from "../../support/platform.ts";
import { seenFrom } from "../../support/seen-from.ts";
import { withLength } from "../../support/service.ts";
import { type Jobs, jobsOf, setUpRun, small } from "../many.ts";
import { type NamedJob, setUpFolder } from "./setup.ts";

describe("a folder", () => {
  it("deletes the unfinished files of a run that was killed, and no others", async () => {
    let isHeld = true;
    const { run, out, files, service } = await setUpFolder((received) => {
      if (!isHeld) return withLength(small)(received);
      received.response.writeHead(200, { "content-length": small.length });
      return received.response.write(small.subarray(0, 100));
    });
    const ending = new AbortController();
    const aborted = run(["a"], { signal: ending.signal }).catch((error: unknown) => error);
    await service.request();
    let draft: string | undefined;
    while (draft === undefined) draft = (await files()).find((name) => name.startsWith("."));
    const [, id, own, rest] = /^\.(\w{16})-(\w{8})-(.+)$/.exec(draft) ?? [];
    const stale = `.${id}-${own?.startsWith("0") ? "1" : "0"}${own?.slice(1)}-${rest}`;
    const foreign = [".fedcba9876543210-00000000-x.template-pdf", `.${rest}`, `.${id}-notes`];
    for (const name of [stale, ...foreign]) await copyFile(join(out, draft), join(out, name));
    ending.abort("as if killed");
    expect(await aborted).toBe("as if killed");
    expect(await files()).toEqual([...foreign, stale].sort());
    isHeld = false;
    await run(["a"]);
    expect(await files()).toEqual([...foreign, "a"].sort());
  });

  it("deletes them also if the run starts over", async () => {
    const { run, at, out, files } = await setUpFolder();
    await run(["a"]);
    const { salt } = JSON.parse((await readFile(join(at, "run.journal"), "utf8")).split("\n")[0] ?? "");
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${salt} id`));
    const id = Buffer.from(digest).toString("hex").slice(0, 16);
    await writeFile(join(out, `.${id}-00000000-x.template-pdf`), "");
    await run(["a"], { fresh: true });
    expect(await files()).toEqual(["a"]);
  });

  it("rejects the one job whose path is a folder, or leads through a file", async () => {
    const { run, out, service, files } = await setUpFolder();
    await mkdir(join(out, "a"));
    await writeFile(join(out, "file"), "mine");
    const { messages } = await run(["a", "file/b", "c"]);
    expect(messages.sort()).toEqual([
      'Could not save the document to "/out/a": it is a folder: name a file inside it.',
      'The folder "/out/file" is not writable: a file with this name exists.',
      "fulfilled",
    ]);
    expect(service.requests.length).toBe(1);
    expect(await files()).toEqual(["a", "c", "file"]);
  });

  it.each([
    ["255 bytes", "x".repeat(255)],
    ["255 bytes of two each", `${"ä".repeat(127)}x`],
    ["emoji", "👩‍👩‍👧 Zoë"],
    ["spaces and dots", " ..a. x"],
    ["characters with a meaning in URLs", isWindows ? "100% #1&a=b&c" : "100% #1?a=b&c"],
    ["quotes", "b'c"],
    ...(hasFreeNames ? [["backslashes and quotes", "a\\b'c\"d"]] : []),
  ])("uses the values in a file name: %s", async (_title, name) => {
    const { run, files } = await setUpFolder();
    expect((await run([name])).summary.fulfilled).toBe(1);
    expect(await files()).toEqual([name]);
    expect((await run([name])).summary.skipped).toBe(1);
  });

  it("returns the path and the size of each document", async () => {
    const { run, out } = await setUpFolder();
    const { results } = await run(["a"]);
    expect(results).toMatchObject([{ value: { path: join(out, "a"), bytes: small.length } }]);
  });

  it.runIf(hasModes)("keeps the mode of a document that it replaces", async () => {
    const { run, out } = await setUpFolder();
    await run(["a"]);
    await chmod(join(out, "a"), 0o600);
    await run(["a"], { fresh: true });
    expect((await stat(join(out, "a"))).mode & 0o777).toBe(0o600);
  });

  it.runIf(!isWindows).each([
    ["exists", true],
    ["does not exist yet", false],
  ])(
    "sends nothing for a path too long for its unfinished file, if its folder %s",
    async (_title, isThere) => {
      const { run, out, service, files } = await setUpFolder();
      // So deep that a short name fits, but the name of its draft does not.
      const depth = (process.platform === "linux" ? 4096 : 1024) - out.length - 30;
      const deep = Array.from({ length: depth }, (_, place) => (place % 200 === 100 ? "/" : "x")).join("");
      if (isThere) await mkdir(join(out, deep), { recursive: true });
      const names = Array.from({ length: 20 }, (_, n) => `${deep}/${n}`);
      const { messages } = await run([...names, "a"]);
      const message = `The folder "/out/${deep}" is not writable: its name is too long.`;
      expect(messages.sort()).toEqual([...names.map(() => message), "fulfilled"]);
      expect(service.requests.length).toBe(1);
      expect(await files()).toEqual(["a", deep.slice(0, 100)]);
    },
  );

  it("rejects all jobs for one reason after it was deleted, and sends nothing for them", async () => {
    let folderOfRun = "";
    const { run, out, service } = await setUpFolder(async (received) => {
      await rm(folderOfRun, { recursive: true });
      withLength(small)(received);
    });
    folderOfRun = out;
    const { messages, summary } = await run(["a", "b", "c"], { concurrency: 1 });
    const why = "its folder does not exist: create it first.";
    expect(messages).toEqual(
      ["a", "b", "c"].map((name) => `Could not save the document to "/out/${name}": ${why}`),
    );
    expect(summary.failures).toMatchObject([{ code: "not_saved", count: 3, indexes: [0, 1, 2] }]);
    expect(service.requests.length).toBe(1);
  });

  it("ends the run if it was moved away before its documents were recorded", async () => {
    const { run, at, out } = await setUpFolder();
    const inner = folder("{{name}}", { root: out });
    const sink = {
      keyOf: (job: NamedJob) => inner.keyOf(job),
      put: inner.put.bind(inner),
      async sync() {
        await rename(out, join(at, "elsewhere"));
        await inner.sync?.();
      },
    };
    const error = await run(["a", "b"], { sink, concurrency: 1 }).catch((thrown: unknown) => thrown);
    expect(SaveError.is(error) && seenFrom(at, error.message)).toBe(
      'The folder "/out" could not be synced: it no longer exists. The last documents in it are not recorded.',
    );
    expect((await run(["a", "b"], { sink: inner, fresh: true })).summary).toMatchObject({ fulfilled: 2 });
  });

  it("stores the documents of one run after another", async () => {
    const { run, out } = await setUpFolder();
    const sink = folder("inner/{{name}}", { root: out });
    await run(["a", "b"], { sink });
    await rm(join(out, "inner"), { recursive: true });
    expect((await run(["a", "b"], { sink, fresh: true })).summary).toMatchObject({ fulfilled: 2 });
  });

  it("accepts a function that returns a relative or absolute path inside the folder", async () => {
    const { run, at, files } = await setUpRun();
    const sinkOf = (pathOf: (n: number) => string) =>
      folder(({ values }: Jobs[number]) => pathOf(values.n), { root: at });
    await run(jobsOf(1), { sink: sinkOf((n) => `a/${n}.pdf`) });
    await run(jobsOf(2), { sink: sinkOf((n) => join(at, "a", `${n}.pdf`)) });
    expect(await files("a")).toEqual(["0.pdf", "1.pdf"]);
    expect(await run(jobsOf(1), { sink: sinkOf((n) => join(at, "..", `${n}.pdf`)) })).toMatchObject({
      rejected: 1,
    });
    const { failures } = await run(jobsOf(1), { sink: sinkOf(() => undefined as never) });
    const message = "Expected the path of a document to be a string, got undefined.";
    expect(failures[0]?.message).toBe(message);
  });

  it("resolves a dotted placeholder by nested or literal properties", async () => {
    const { run, at } = await setUpRun();
    const all = [{ customer: { no: 7 } }, { "customer.no": 8 }];
    const jobs = all.map((values) => ({ template: "t", values })) as unknown as Jobs;
    await run(jobs, { sink: folder("out/{{customer.no}}.pdf", { root: at }) });
    expect((await readdir(join(at, "out"))).sort()).toEqual(["7.pdf", "8.pdf"]);
  });
});

describe("the pattern of a path", () => {
  it("trims white space around a name in braces", () => {
    const pattern = parsePattern("out/{{ \t a b\u00a0}}/{{c}}.pdf");
    expect(pattern.names).toEqual(["a b", "c"]);
    expect(pattern.fill({ "a b": "x", c: "y" }, "uid")).toBe("out/x/y.pdf");
  });

  it.each([
    ["braces that stay open", "{{ ".repeat(200_000)],
    ["white space in braces that stay open", `{{${" ".repeat(500_000)}`],
    ["white space in braces that close too late", `{{${" ".repeat(500_000)}x{}}`],
  ])("refuses 500 kB of %s at once", (_, text) => {
    expect(() => parsePattern(text)).toThrow(ConfigurationError);
  });
});
