import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type BulkResult, folder, runBulk } from "template-pdf/bulk";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasLinks } from "../../support/platform.ts";
import { seenFrom } from "../../support/seen-from.ts";
import { type Answer, Service, withLength } from "../../support/service.ts";
import { makeTemporaryFolder } from "../../support/temporary-folder.ts";
import { small } from "../many.ts";

/** Runs into the folder `out`, and what is said of their jobs. */
async function setUp(answer?: (out: string) => Answer) {
  const { path: at, remove } = makeTemporaryFolder("sink");
  onTestFinished(remove);
  const out = join(at, "out");
  await mkdir(out);
  const service = await Service.start(answer?.(out) ?? withLength(small));
  const run = async (names: readonly string[], options: object = {}) => {
    const said: string[] = [];
    await runBulk({
      client: service.client(),
      jobs: names.map((name) => ({ template: "t", values: { name } })),
      sink: folder("{{name}}", { root: out }),
      journal: join(at, "run.journal"),
      onResult: (result: BulkResult<unknown>) =>
        said.push(result.status === "rejected" ? seenFrom(at, (result.error as Error).message) : "stored"),
      ...options,
    });
    return said;
  };
  return { service, at, out, run };
}

describe("a folder", () => {
  describe("follows links as the system does, and refuses a path that ends outside:", () => {
    it.runIf(hasLinks).each([
      ["a link", { "a.pdf": "../x.pdf" }],
      ["a link to a link", { "a.pdf": "b.pdf", "b.pdf": "../x.pdf" }],
      ["a link to a link to a link", { "a.pdf": "b.pdf", "b.pdf": "c.pdf", "c.pdf": "../x.pdf" }],
      ["a link through a folder", { "a.pdf": "inner/b.pdf", inner: ".." }],
      ["a link that goes out and in again, and out", { "a.pdf": "../out/b.pdf", "b.pdf": "../x.pdf" }],
    ])("%s", async (_title, links) => {
      const { run, at, out, service } = await setUp();
      for (const [name, target] of Object.entries(links)) await symlink(target, join(out, name));
      expect(await run(["a.pdf"])).toEqual([
        'Could not save the document to "/out/a.pdf": a link leads out of "/out" there.',
      ]);
      expect((await readdir(at)).sort()).toEqual(["out", "run.journal"]);
      expect(service.requests.length).toBe(0);
    });

    it.runIf(hasLinks)("a link that came while the document did", async () => {
      const { run, at, out } = await setUp((folder) => async (received) => {
        await symlink("../x.pdf", join(folder, "a.pdf"));
        await withLength(small)(received);
      });
      expect(await run(["a.pdf"])).toEqual([
        'Could not save the document to "/out/a.pdf": a link leads out of "/out" there.',
      ]);
      expect((await readdir(at)).sort()).toEqual(["out", "run.journal"]);
      expect(await readdir(out)).toEqual(["a.pdf"]);
    });

    it.runIf(hasLinks)("a folder that is a link to nowhere, and makes none there", async () => {
      const { run, at, out, service } = await setUp();
      await symlink("../elsewhere", join(out, "inner"));
      expect(await run(["inner/a.pdf", "inner/deeper/a.pdf"])).toHaveLength(2);
      expect((await readdir(at)).sort()).toEqual(["out", "run.journal"]);
      expect(service.requests.length).toBe(0);
    });
  });

  it.runIf(hasLinks)("follows a chain of links that stays within", async () => {
    const { run, out } = await setUp();
    await symlink("b.pdf", join(out, "a.pdf"));
    await symlink("inner/../c.pdf", join(out, "b.pdf"));
    await mkdir(join(out, "inner"));
    expect(await run(["a.pdf"])).toEqual(["stored"]);
    expect((await readFile(join(out, "c.pdf"))).equals(small)).toBe(true);
  });

  describe("stores nothing over the journal of its run:", () => {
    const refusal = (path: string) =>
      `Could not save the document to ${JSON.stringify(path)}: the run keeps its journal there.`;

    it.each([[""], [".lock"], [".old"]])("a name ending in %j", async (ending) => {
      const { run, out, service } = await setUp();
      const journal = join(out, "run.journal");
      const name = `run.journal${ending}`;
      expect((await run([name, "b.pdf"], { journal })).sort()).toEqual([refusal(`/out/${name}`), "stored"]);
      expect((await readFile(journal, "utf8")).trim().split("\n").length).toBe(2);
      expect(service.requests.length).toBe(1);
      expect((await readdir(out)).sort()).toEqual(["b.pdf", "run.journal"]);
    });

    it("a name below the place where it is put aside", async () => {
      const { run, out } = await setUp();
      const journal = join(out, "run.journal");
      expect(await run(["run.journal.old/a.pdf"], { journal })).toEqual([
        'The folder "/out/run.journal.old" cannot be written to: the run keeps its journal there.',
      ]);
      expect(await run(["a.pdf"], { journal, fresh: true })).toEqual(["stored"]);
    });

    it.runIf(hasLinks)("a name that leads to it by a link, or that it leads to by one", async () => {
      const { run, at, out } = await setUp();
      await symlink("out/deep.journal", join(at, "run.journal"));
      await symlink("deep.journal", join(out, "link.pdf"));
      expect(await run(["link.pdf", "deep.journal", "a.pdf"])).toEqual(
        expect.arrayContaining([refusal("/out/link.pdf"), refusal("/out/deep.journal"), "stored"]),
      );
      expect((await readFile(join(out, "deep.journal"), "utf8")).trim().split("\n").length).toBe(2);
    });

    it("a run before it in the same sink had another one", async () => {
      const { run, out } = await setUp();
      const sink = folder("{{name}}", { root: out });
      await run(["a.pdf"], { sink, journal: join(out, "one") });
      expect(await run(["one"], { sink, journal: join(out, "two") })).toEqual(["stored"]);
    });
  });

  it("is not confused by names that only begin like its journal's", async () => {
    const { run, out } = await setUp();
    const names = ["run.journal.pdf", "run.journal.locked", "run.journals/a.pdf", "xrun.journal"];
    expect(await run(names, { journal: join(out, "run.journal") })).toEqual(names.map(() => "stored"));
  });

  it.runIf(hasLinks)("that lies in a link of its own is none that leads outside", async () => {
    const { run, at } = await setUp();
    await symlink("out", join(at, "linked"));
    await writeFile(join(at, "out/a.pdf"), "old");
    const sink = folder("{{name}}", { root: join(at, "linked") });
    expect(await run(["a.pdf", "inner/b.pdf"], { sink })).toEqual(["stored", "stored"]);
  });
});
