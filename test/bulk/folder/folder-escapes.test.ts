import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { folder } from "template-pdf/bulk";
import { describe, expect, it } from "vitest";
import { hasLinks } from "../../support/platform.ts";
import { withLength } from "../../support/service.ts";
import { small } from "../many.ts";
import { setUpFolder } from "./setup.ts";

const saving = 'Could not save the document to "/out/a": a link in it leads outside "/out".';
const entering = 'The folder "/out/inner" is not writable: a link in it leads outside "/out".';
const enteringDeep = entering.replace("inner", "inner/deeper");

describe("a folder with links", () => {
  it.runIf(hasLinks).each<[string, Record<string, string>, string, string]>([
    ["a link", { a: "../x" }, "a", saving],
    ["a link to a link to a link", { a: "b", b: "c", c: "../x" }, "a", saving],
    ["a link through a folder", { a: "inner/b", inner: ".." }, "a", saving],
    ["a link that goes out and in again, and out", { a: "../out/b", b: "../x" }, "a", saving],
    ["a link to a folder", { inner: "../elsewhere" }, "inner/a", entering],
    ["a missing folder behind a link", { inner: "../elsewhere" }, "inner/deeper/a", enteringDeep],
    ["a link to a missing folder", { inner: "../missing" }, "inner/a", "is not writable"],
    ["a missing folder behind a dangling link", { inner: "../missing" }, "inner/deeper/a", "is not writable"],
  ])("refuses a path that leaves the folder through %s", async (_title, links, name, message) => {
    const { run, at, out, service } = await setUpFolder();
    await mkdir(join(at, "elsewhere"));
    for (const [link, target] of Object.entries(links)) await symlink(target, join(out, link));
    const { messages } = await run([name, "fine"]);
    expect(messages.sort()).toEqual([expect.stringContaining(message), "fulfilled"]);
    expect((await readdir(at)).sort()).toEqual(["elsewhere", "out", "run.journal"]);
    expect(await readdir(join(at, "elsewhere"))).toEqual([]);
    expect(service.requests.length).toBe(1);
  });

  it.runIf(hasLinks)("refuses a path that leaves through a link created during the request", async () => {
    let folderOfRun = "";
    const { run, at, out, files } = await setUpFolder(async (received) => {
      await symlink("../x", join(folderOfRun, "a"));
      withLength(small)(received);
    });
    folderOfRun = out;
    expect((await run(["a"])).messages).toEqual([saving]);
    expect((await readdir(at)).sort()).toEqual(["out", "run.journal"]);
    expect(await files()).toEqual(["a"]);
  });

  it.runIf(hasLinks)("follows a chain of links that stays inside the folder", async () => {
    const { run, out } = await setUpFolder();
    await symlink("b.pdf", join(out, "a.pdf"));
    await symlink("inner/../c.pdf", join(out, "b.pdf"));
    await mkdir(join(out, "inner"));
    expect((await run(["a.pdf"])).messages).toEqual(["fulfilled"]);
    expect((await readFile(join(out, "c.pdf"))).equals(small)).toBe(true);
  });

  it.runIf(hasLinks)("stores documents if it is a link itself", async () => {
    const { run, at, out } = await setUpFolder();
    await symlink("out", join(at, "linked"));
    await writeFile(join(out, "a"), "old");
    const sink = folder("{{name}}", { root: join(at, "linked") });
    expect((await run(["a", "inner/b"], { sink })).messages).toEqual(["fulfilled", "fulfilled"]);
  });
});

describe("a folder that contains the journal of its run", () => {
  const kept = ": it is the path of the run's journal.";
  const refusal = (path: string) => `Could not save the document to ${JSON.stringify(path)}${kept}`;

  it.each([[""], [".lock"], [".old"]])(
    "refuses the name of the journal with the suffix %j",
    async (ending) => {
      const { run, out, service, files } = await setUpFolder();
      const journal = join(out, "run.journal");
      const { messages } = await run([`run.journal${ending}`, "b.pdf"], { journal });
      expect(messages.sort()).toEqual([refusal(`/out/run.journal${ending}`), "fulfilled"]);
      expect((await readFile(journal, "utf8")).trim().split("\n").length).toBe(2);
      expect(service.requests.length).toBe(1);
      expect(await files()).toEqual(["b.pdf", "run.journal"]);
    },
  );

  it("refuses a path below the backup path of the journal", async () => {
    const { run, out } = await setUpFolder();
    const journal = join(out, "run.journal");
    const { messages } = await run(["run.journal.old/a.pdf"], { journal });
    expect(messages).toEqual([`The folder "/out/run.journal.old" is not writable${kept}`]);
    expect((await run(["a.pdf"], { journal, fresh: true })).messages).toEqual(["fulfilled"]);
  });

  it.runIf(hasLinks)(
    "refuses a link to the journal, and the file that the journal is a link to",
    async () => {
      const { run, at, out } = await setUpFolder();
      await symlink("out/deep.journal", join(at, "run.journal"));
      await symlink("deep.journal", join(out, "link.pdf"));
      const { messages } = await run(["link.pdf", "deep.journal", "a.pdf"]);
      expect(messages.sort()).toEqual([refusal("/out/deep.journal"), refusal("/out/link.pdf"), "fulfilled"]);
      expect((await readFile(join(out, "deep.journal"), "utf8")).trim().split("\n").length).toBe(2);
    },
  );

  it("accepts the name of another run's journal in the same sink", async () => {
    const { run, out } = await setUpFolder();
    const sink = folder("{{name}}", { root: out });
    await run(["a.pdf"], { sink, journal: join(out, "one") });
    expect((await run(["one"], { sink, journal: join(out, "two") })).messages).toEqual(["fulfilled"]);
  });

  it("accepts names that only begin or end like its journal's", async () => {
    const { run, out } = await setUpFolder();
    const names = ["run.journal.pdf", "run.journal.locked", "run.journals/a.pdf", "xrun.journal"];
    const { messages } = await run(names, { journal: join(out, "run.journal") });
    expect(messages).toEqual(names.map(() => "fulfilled"));
  });
});
