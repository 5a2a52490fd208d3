import { copyFile, mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SaveError } from "template-pdf";
import { type BulkResult, folder } from "template-pdf/bulk";
import { describe, expect, it } from "vitest";
import { parsePattern } from "../../../src/bulk/folder/placeholders.ts";
import { hasLinks } from "../../support/platform.ts";
import { refuseRenames } from "../../support/refuse-renames.ts";
import { seenFrom } from "../../support/seen-from.ts";
import { type Answer, rejectionOf, withLength } from "../../support/service.ts";
import { type Jobs, jobsOf, setUpRun, small } from "../many.ts";

interface NamedJob {
  readonly template: string;
  readonly values: { readonly name: string };
}

/** Runs jobs with these names into the folder `out` of a temporary folder. */
async function setUpFolder(answer: Answer = withLength(small)) {
  const { service, at, run: runJobs, files } = await setUpRun(answer);
  const out = join(at, "out");
  await mkdir(out);
  const run = async (names: readonly string[], options: object = {}) => {
    const results: BulkResult<NamedJob>[] = [];
    const jobs = names.map((name) => ({ template: "t", values: { name } }));
    const onResult = (result: BulkResult<NamedJob>) => results.push(result);
    const own = { sink: folder("{{name}}", { root: out }), onResult };
    const summary = await runJobs(jobs as never, { ...own, ...options });
    const messages = results.map(({ status, error }) =>
      status === "rejected" ? seenFrom(at, (error as Error).message) : status,
    );
    return { summary, results, messages: messages.sort() };
  };
  return { service, at, out, run, files };
}

describe("a folder sink", () => {
  it("deletes the unfinished files of a killed run, but no other files", async () => {
    let isHeld = true;
    const { run, out, files, service } = await setUpFolder((received) => {
      if (!isHeld) return withLength(small)(received);
      received.response.writeHead(200, { "content-length": small.length });
      return received.response.write(small.subarray(0, 100));
    });
    const ending = new AbortController();
    const aborted = rejectionOf(run(["a"], { signal: ending.signal }));
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

  it("rejects a job if its path is a folder or its parent folder is a file", async () => {
    const { run, out, service, files } = await setUpFolder();
    await mkdir(join(out, "a"));
    await writeFile(join(out, "file"), "mine");
    const { messages } = await run(["a", "file/b", "c"]);
    expect(messages).toEqual([
      'Could not save the document to "/out/a": it is a folder: specify a file inside it.',
      'The folder "/out/file" is not writable: a file with this name already exists.',
      "fulfilled",
    ]);
    expect(service.requests.length).toBe(1);
    expect(await files()).toEqual(["a", "c", "file"]);
  });

  it.each([
    ["a value of 255 bytes", `${"ä".repeat(127)}x`],
    ["a value with URL and shell metacharacters", " ..100% #1&a=b 'c' 👩‍👩‍👧 Zoë"],
  ])("inserts values into file names without changing them: %s", async (_title, name) => {
    const { run, out, files } = await setUpFolder();
    expect((await run([name])).results).toMatchObject([{ value: { path: join(out, name), bytes: 1000 } }]);
    expect(await files()).toEqual([name]);
    expect((await run([name])).summary.skipped).toBe(1);
  });

  it("leaves a complete document in the folder if the system refuses the rename", async () => {
    const { run, out } = await setUpFolder();
    refuseRenames("EPERM");
    const { results, summary } = await run(["a", "b"]);
    const drafts = results.map(({ error }) => (SaveError.is(error) ? error.draft : undefined));
    for (const draft of drafts) {
      expect(dirname(draft ?? "")).toBe(out);
      expect((await readFile(draft ?? "")).equals(small)).toBe(true);
    }
    expect(new Set(drafts).size).toBe(2);
    expect(summary.failures, "failures that differ only in their paths").toHaveLength(1);
  });

  it("ends the run if the folder is moved before its documents are recorded", async () => {
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
    const error = await rejectionOf(run(["a", "b"], { sink, concurrency: 1 }));
    expect(SaveError.is(error) && seenFrom(at, error.message)).toBe(
      'The folder "/out" could not be synced: it no longer exists. The last documents in this folder are not recorded.',
    );
  });

  it("saves in subfolders and in its folder even if a sink that wraps it does not open it", async () => {
    const { run, out, files } = await setUpFolder();
    await mkdir(join(out, "inner"));
    const inner = folder("{{name}}", { root: out });
    const sink = { keyOf: (job: NamedJob) => inner.keyOf(job), put: inner.put.bind(inner) };
    expect((await run(["inner/a", "b"], { sink, concurrency: 1 })).messages).toEqual([
      "fulfilled",
      "fulfilled",
    ]);
    expect(await files()).toEqual(["b", "inner"]);
  });

  it("accepts a function that returns a relative or absolute path inside the folder", async () => {
    const { run, at, files } = await setUpRun();
    const sinkOf = (pathOf: (n: number) => string) =>
      folder(({ values }: Jobs[number]) => pathOf(values.n), { root: at });
    await run(jobsOf(1), { sink: sinkOf((n) => `a/${n}.pdf`) });
    await run(jobsOf(2), { sink: sinkOf((n) => join(at, "a", `${n}.pdf`)) });
    expect(await files("a")).toEqual(["0.pdf", "1.pdf"]);
    const outside = await run(jobsOf(1), { sink: sinkOf((n) => join(at, "..", `${n}.pdf`)) });
    expect(outside).toMatchObject({ rejected: 1 });
    const { failures } = await run(jobsOf(1), { sink: sinkOf(() => undefined as never) });
    const message = "Expected the path of a document to be a string, got undefined.";
    expect(failures[0]?.message).toBe(message);
  });

  it("fills `{{c.d}}` from a nested property or a property with a dotted name", () => {
    const pattern = parsePattern("out/{{ \t a b\u00a0}}/{{c.d}}.pdf");
    expect(pattern.names).toEqual(["a b", "c.d"]);
    expect(pattern.fill({ "a b": "x", c: { d: 7 } }, "uid")).toBe("out/x/7.pdf");
    expect(pattern.fill({ "a b": "x", "c.d": true }, "uid")).toBe("out/x/true.pdf");
  });
});

describe.runIf(hasLinks)("a folder sink whose folder contains links", () => {
  const saving = 'Could not save the document to "/out/a": a link in it points outside "/out".';
  const entering = 'The folder "/out/inner" is not writable: a link in it points outside "/out".';
  const enteringDeep = entering.replace("inner", "inner/deeper");

  it.each<
    [
      title: string,
      row: { readonly links: Record<string, string>; readonly name: string; readonly message: string },
    ]
  >([
    [
      "a link whose target is in a linked folder",
      { links: { a: "inner/b", inner: ".." }, name: "a", message: saving },
    ],
    [
      "links that return to the folder before they lead outside",
      { links: { a: "../out/b", b: "../x" }, name: "a", message: saving },
    ],
    ["a link to an outside folder", { links: { inner: "../elsewhere" }, name: "inner/a", message: entering }],
    [
      "a missing subfolder of a linked folder",
      { links: { inner: "../elsewhere" }, name: "inner/deeper/a", message: enteringDeep },
    ],
    [
      "a link to a missing folder",
      { links: { inner: "../missing" }, name: "inner/a", message: "is not writable" },
    ],
  ])("rejects a path that leads outside the folder through %s", async (_title, { links, name, message }) => {
    const { run, at, out, service } = await setUpFolder();
    await mkdir(join(at, "elsewhere"));
    for (const [link, target] of Object.entries(links)) await symlink(target, join(out, link));
    const { messages } = await run([name, "fine"]);
    expect(messages).toEqual([expect.stringContaining(message), "fulfilled"]);
    expect((await readdir(at)).sort()).toEqual(["elsewhere", "out", "run.journal"]);
    expect(await readdir(join(at, "elsewhere"))).toEqual([]);
    expect(service.requests.length).toBe(1);
  });

  it("rejects a path that leads outside through a link created during the request", async () => {
    let folderOfRun = "";
    const { run, at, out } = await setUpFolder(async (received) => {
      await symlink("../x", join(folderOfRun, "a"));
      withLength(small)(received);
    });
    folderOfRun = out;
    expect((await run(["a"])).messages).toEqual([saving]);
    expect((await readdir(at)).sort()).toEqual(["out", "run.journal"]);
  });

  it("follows links that stay inside the folder, even if the folder itself is a link", async () => {
    const { run, at, out } = await setUpFolder();
    await symlink("out", join(at, "linked"));
    await symlink("b.pdf", join(out, "a.pdf"));
    await symlink("inner/../c.pdf", join(out, "b.pdf"));
    await mkdir(join(out, "inner"));
    const sink = folder("{{name}}", { root: join(at, "linked") });
    expect((await run(["a.pdf", "inner/b"], { sink })).messages).toEqual(["fulfilled", "fulfilled"]);
    expect((await readFile(join(out, "c.pdf"))).equals(small)).toBe(true);
  });
});

describe("a folder sink whose folder contains the run's journal", () => {
  const kept = ": it is the path of the run's journal.";
  const refusal = (path: string) => `Could not save the document to "/out/${path}"${kept}`;

  it("rejects the paths of the journal, its lock file and its backup", async () => {
    const { run, out, service } = await setUpFolder();
    const journal = join(out, "run.journal");
    const refused = ["run.journal", "run.journal.lock", "run.journal.old"];
    const fine = ["run.journal.pdf", "run.journal.locked", "run.journals/a.pdf", "xrun.journal"];
    const { messages } = await run([...refused, "run.journal.old/a.pdf", ...fine], { journal });
    expect(messages).toEqual([
      ...[...refused.map(refusal), `The folder "/out/run.journal.old" is not writable${kept}`],
      ...fine.map(() => "fulfilled"),
    ]);
    expect((await readFile(journal, "utf8")).trim().split("\n").length).toBe(1 + fine.length);
    expect(service.requests.length).toBe(fine.length);
  });

  it.runIf(hasLinks)("rejects a path to the journal even if the path or the journal is a link", async () => {
    const { run, at, out } = await setUpFolder();
    await symlink("out/deep.journal", join(at, "run.journal"));
    await symlink("deep.journal", join(out, "link.pdf"));
    const { messages } = await run(["link.pdf", "deep.journal", "a.pdf"]);
    expect(messages).toEqual([refusal("deep.journal"), refusal("link.pdf"), "fulfilled"]);
    expect((await readFile(join(out, "deep.journal"), "utf8")).trim().split("\n").length).toBe(2);
  });
});
