import { execFileSync, spawn } from "node:child_process";
import { linkSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import fs, { readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { basename, join } from "node:path";
import { type Saved, SaveError, type TemplatePdf } from "template-pdf";
import { folder } from "template-pdf/bulk";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { fileSystem, privateMode } from "../../../src/files/file-system.ts";
import { hasLinks, hasPipeFiles } from "../../support/platform.ts";
import { seenFrom } from "../../support/seen-from.ts";
import { rejectionOf, Service, withLength } from "../../support/service.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { small } from "../many.ts";

// Another process exchanges a folder for a link, or moves it, at the worst moments. Here, the hooks are that process.

/** Whether folders are opened by descriptor. A platform other than Linux stands for all the others. */
type Access = "descriptor" | "path";
const accesses: Access[] = process.platform === "linux" ? ["descriptor", "path"] : ["path"];

/** Opens a sink for the folder `out`, next to the folder `elsewhere`, which contains a file of somebody else. */
async function setUp(access: Access = "descriptor") {
  if (access === "path") vi.spyOn(process, "platform", "get").mockReturnValue("freebsd");
  const functions = { ...fileSystem() };
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    Object.assign(fileSystem(), functions);
  });
  const at = temporaryFolder();
  const [out, elsewhere] = [join(at, "out"), join(at, "elsewhere")];
  mkdirSync(join(out, "inner"), { recursive: true });
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "a"), "theirs");
  const client: TemplatePdf = (await Service.start(withLength(small))).client();
  const sink = folder(({ values }) => values.name, { root: out });
  await sink.open?.();
  sink.begin?.({ id: "this-run", before: "earlier", journal: join(at, "run.journal") });
  const save = (name: string) => {
    const job = { template: "t", values: { name } };
    return sink.put(name, client.generate("t", job.values), { job } as never) as Promise<Saved>;
  };
  const messageOf = async (saving: Promise<unknown>) => {
    const error = await rejectionOf(saving);
    return SaveError.is(error) ? seenFrom(at, error.message) : error;
  };
  return { at, out, elsewhere, save, messageOf, sync: () => sink.sync?.() };
}

/** Exchanges a folder for a link. The folder is moved out of the way. */
function exchange(path: string, link: string, aside = `${path}-aside`): void {
  renameSync(path, aside);
  symlinkSync(link, path);
}

/** What happens around the first call that matches. */
interface Interception {
  matches?(...given: unknown[]): boolean;
  before?(path: string): void;
  after?(): void;
}

function intercept(
  name: "open" | "rename" | "lstat" | "unlink",
  { matches, before, after }: Interception,
): void {
  const files = fileSystem() as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
  const original = files[name] as (typeof files)[string];
  let isDone = false;
  files[name] = async (...given) => {
    if (isDone || matches?.(...given) === false) return original(...given);
    isDone = true;
    before?.(String(given[0]));
    return original(...given).finally(after);
  };
}

/** Matches the call that opens the draft of a document, not the one that opens an empty file to test a folder. */
const isDraft = (_path: unknown, flags: unknown, mode: unknown) => flags === "wx" && mode === privateMode;

const race =
  "Another process replaced a folder in the path during the run: check who can write to these folders.";
const outside = `Could not save the document to "/out/inner/a": a link in it points outside "/out". ${race}`;
const moved = `Could not save the document to "/out/inner/a": its folder was moved. ${race}`;

describe.runIf(hasLinks).each(accesses)(
  "a folder that is opened by %s, if another process exchanges it",
  (access) => {
    const ofAccess = (byDescriptor: string, byPath: string) =>
      access === "descriptor" ? byDescriptor : byPath;

    it("receives no document after it was exchanged before its draft is created", async () => {
      const { out, elsewhere, save, messageOf } = await setUp(access);
      intercept("open", { matches: isDraft, before: () => exchange(join(out, "inner"), elsewhere) });
      expect(await messageOf(save("inner/a"))).toBe(ofAccess(moved, outside));
      expect(readdirSync(elsewhere)).toEqual(["a"]);
      expect(await readFile(join(elsewhere, "a"), "utf8")).toBe("theirs");
      expect(readdirSync(join(out, "inner-aside"))).toEqual([]);
    });

    it("receives no document after it was exchanged between the check of the path and the opening", async () => {
      const { out, elsewhere, save, messageOf } = await setUp(access);
      // The target is inspected before the request, and again before it is opened.
      let count = 0;
      const matches = (path: unknown) => path === join(out, "inner", "a") && ++count === 2;
      intercept("lstat", { matches, after: () => exchange(join(out, "inner"), elsewhere) });
      expect(await messageOf(save("inner/a"))).toBe(outside);
      expect(readdirSync(elsewhere)).toEqual(["a"]);
      expect(await readFile(join(elsewhere, "a"), "utf8")).toBe("theirs");
      expect(readdirSync(join(out, "inner-aside"))).toEqual([]);
    });

    it("loses its document again if it is exchanged before the rename, even if the draft was linked elsewhere", async () => {
      const { out, elsewhere, save, messageOf } = await setUp(access);
      intercept("rename", {
        before(draft) {
          linkSync(draft, join(elsewhere, basename(draft)));
          exchange(join(out, "inner"), elsewhere);
        },
      });
      expect(await messageOf(save("inner/a"))).toBe(ofAccess(moved, outside));
      const left = readdirSync(elsewhere).filter((name) => !name.startsWith("."));
      if (access === "path") expect(left).toEqual([]);
      else expect(await readFile(join(elsewhere, "a"), "utf8")).toBe("theirs");
      expect(readdirSync(join(out, "inner-aside"))).not.toContain("a");
    });

    it("keeps no document if it is moved out of the root before the rename", async () => {
      const { at, out, save, messageOf } = await setUp(access);
      intercept("rename", { before: () => exchange(join(out, "inner"), "../aside", join(at, "aside")) });
      expect(await messageOf(save("inner/a"))).toBe(outside);
      expect(readdirSync(join(at, "aside"))).toEqual([]);
    });

    it("does not delete the file of somebody else if it is exchanged after the rename", async () => {
      const { out, elsewhere, save, messageOf } = await setUp(access);
      intercept("rename", { after: () => exchange(join(out, "inner"), elsewhere) });
      expect(await messageOf(save("inner/a"))).toBe(ofAccess(moved, outside));
      expect(await readFile(join(elsewhere, "a"), "utf8")).toBe("theirs");
    });

    it("makes the run's next sync fail instead of syncing a different folder", async () => {
      const { out, elsewhere, save, messageOf, sync } = await setUp(access);
      await save("inner/a");
      exchange(join(out, "inner"), elsewhere);
      expect(await messageOf(sync() as Promise<void>)).toBe(
        'The folder "/out/inner" could not be synced: a link in it points outside "/out". The last documents in this folder are not recorded.',
      );
    });

    it("is refused even if it is the root", async () => {
      const { at, out, elsewhere, save, messageOf } = await setUp(access);
      intercept("open", { matches: isDraft, before: () => exchange(out, elsewhere, join(at, "aside")) });
      expect(await messageOf(save("a"))).toContain(`a link in it points outside "/out". ${race}`);
      expect(await readFile(join(elsewhere, "a"), "utf8")).toBe("theirs");
      expect(readdirSync(elsewhere)).toEqual(["a"]);
    });

    it("keeps the documents of a run that meets links inside the root only", async () => {
      const { out, save } = await setUp(access);
      await symlink("inner", join(out, "linked"));
      await save("linked/a");
      expect(await readFile(join(out, "inner", "a"))).toEqual(small);
      expect(await readdir(join(out, "inner"))).toEqual(["a"]);
    });
  },
);

describe.runIf(process.platform === "linux")(
  "a new or known subfolder, if another process exchanges its parent",
  () => {
    /** Calls `hook` before the first call of a function of `node:fs/promises`. */
    function beforePromise(name: "mkdir" | "opendir", hook: () => void): void {
      const original = fs[name] as (...given: unknown[]) => unknown;
      vi.spyOn(fs, name as "mkdir").mockImplementationOnce(((...given: unknown[]) => {
        hook();
        return original(...given);
      }) as never);
      syncBuiltinESMExports();
    }

    it("is not created outside the root", async () => {
      const { out, elsewhere, save, messageOf } = await setUp();
      beforePromise("mkdir", () => exchange(join(out, "inner"), elsewhere));
      expect(await messageOf(save("inner/new/a"))).toContain("/out/inner");
      expect(readdirSync(elsewhere)).toEqual(["a"]);
    });

    it("is not tested with an empty file outside the root", async () => {
      const { out, elsewhere, save, messageOf } = await setUp();
      const matches = (_path: unknown, flags: unknown) => flags === "wx";
      let created: string[] | undefined;
      intercept("open", { matches, before: () => exchange(join(out, "inner"), elsewhere) });
      // The empty file is removed immediately.
      intercept("unlink", {
        before() {
          created = readdirSync(elsewhere);
        },
      });
      expect(await messageOf(save("inner/a"))).toContain('a link in it points outside "/out"');
      expect(created).toEqual(["a"]);
    });

    it("does not make the run delete drafts outside the root", async () => {
      const { out, elsewhere, save, messageOf } = await setUp();
      const drafts = [join(out, "inner"), elsewhere].map((path) => join(path, ".earlier-x.template-pdf"));
      for (const draft of drafts) await writeFile(draft, "");
      beforePromise("opendir", () => exchange(join(out, "inner"), elsewhere));
      expect(await messageOf(save("inner/a"))).toContain('a link in it points outside "/out"');
      expect(readdirSync(elsewhere).sort()).toEqual([".earlier-x.template-pdf", "a"]);
      expect(readdirSync(join(out, "inner-aside"))).toEqual([]);
    });
  },
);

it.runIf(hasLinks)(
  "a new subfolder is removed again if it was created outside the root by path",
  async () => {
    const { out, elsewhere, save, messageOf } = await setUp("path");
    const { mkdir: original } = fs;
    vi.spyOn(fs, "mkdir").mockImplementationOnce(async (...given) => {
      exchange(join(out, "inner"), elsewhere);
      return original(...given);
    });
    syncBuiltinESMExports();
    expect(await messageOf(save("inner/new/a"))).toContain('a link in it points outside "/out"');
    expect(readdirSync(elsewhere)).toEqual(["a"]);
  },
);

describe.runIf(hasPipeFiles)("a folder sink", () => {
  it("rejects a document whose path is a pipe, before the request is sent", async () => {
    const { out, save, messageOf } = await setUp();
    execFileSync("mkfifo", [join(out, "pipe")]);
    expect(await messageOf(save("pipe"))).toBe(
      'Could not save the document to "/out/pipe": it is a device or a pipe, not a file.',
    );
  });

  it("rejects a document if a pipe replaces the file of its path during the check", async () => {
    const { out, save, messageOf } = await setUp();
    const path = join(out, "a");
    await writeFile(path, "old");
    intercept("lstat", {
      matches: (given) => given === path,
      after() {
        renameSync(path, `${path}-aside`);
        execFileSync("mkfifo", [path]);
      },
    });
    expect(await messageOf(save("a"))).toContain("it is a pipe that no program is reading");
  });

  it("does not wait for a pipe that replaces a folder before it is synced", async () => {
    const { out, save, messageOf, sync } = await setUp();
    await save("inner/a");
    renameSync(join(out, "inner"), join(out, "aside"));
    execFileSync("mkfifo", [join(out, "inner")]);
    expect(await messageOf(sync() as Promise<void>)).toContain("a part of its path is a file, not a folder");
  });
});

it.runIf(process.platform === "linux")(
  "no document lands outside the root while another process exchanges its folder for a link 10,000 times",
  async () => {
    const { out, elsewhere, save } = await setUp();
    const names = Array.from({ length: 50 }, (_, index) => `${index}`);
    for (const name of names) await writeFile(join(elsewhere, name), "theirs");
    const exchanging = spawn(process.execPath, ["--eval", exchangeOften, out, elsewhere], {
      stdio: "inherit",
    });
    onTestFinished(() => void exchanging.kill("SIGKILL"));
    let exitCode: unknown;
    exchanging.once("exit", (code) => {
      exitCode = code;
    });
    const saveUntilExit = async (_: unknown, worker: number) => {
      for (let at = worker; exitCode === undefined; at++) {
        await save(`inner/${names[at % names.length]}`).catch(() => {});
        await save(`inner/new-${at}/a`).catch(() => {});
      }
    };
    await Promise.all(Array.from({ length: 8 }, saveUntilExit));
    expect(exitCode).toBe(0);
    expect(readdirSync(elsewhere).sort()).toEqual([...names, "a"].sort());
    for (const name of names) expect(await readFile(join(elsewhere, name), "utf8")).toBe("theirs");
  },
);

/** A script that exchanges the folder `inner` of its first argument for a link to the second, and back. */
const exchangeOften = `
  const { renameSync, symlinkSync } = require("node:fs");
  const [out, elsewhere] = process.argv.slice(1);
  const [inner, aside, link] = ["inner", "aside", "link"].map((name) => out + "/" + name);
  let created = 0;
  const put = (path) => {
    // The run may have created the folder again. Then it is moved out of the way.
    for (;;) {
      try { return renameSync(path, inner) } catch {}
      try { renameSync(inner, out + "/created-" + created++) } catch {}
    }
  };
  symlinkSync(elsewhere, link);
  for (let index = 0; index < 10_000; index++) {
    renameSync(inner, aside);
    put(link);
    renameSync(inner, link);
    put(aside);
  }
`;
