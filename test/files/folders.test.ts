import { existsSync } from "node:fs";
import { mkdir, readdir, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runBulk, folder as sinkFor } from "template-pdf/bulk";
import { describe, expect, it, onTestFinished } from "vitest";
import { ReportFile } from "../../src/cli/bulk/report-file.ts";
import { fileSystem } from "../../src/files/file-system.ts";
import { makeFolders } from "../../src/files/make-folders.ts";
import { generate } from "../client/output-methods.ts";
import { hasLinks, isWindows } from "../support/platform.ts";
import { seenFrom } from "../support/seen-from.ts";
import { pdfOf, rejectionOf, Service, withLength } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The ways to name a folder that the package creates if it is missing, as functions that try to use it. */
const uses = {
  "saveTo()": async (service: Service, folder: string) =>
    generate(service.client()).saveTo(join(folder, "a.pdf"), { recursive: true }),
  "the folder of a bulk run": async (service: Service, folder: string) =>
    bulkRun(service, folder, join(temporaryFolder(), "journal")),
  "the journal of a bulk run": async (service: Service, folder: string) =>
    bulkRun(service, temporaryFolder(), join(folder, "journal")),
  "the report of the command": async (_service: Service, folder: string) =>
    ReportFile.open(join(folder, "report.json"), "json"),
} as const;

const useNames = Object.keys(uses) as (keyof typeof uses)[];

function bulkRun(service: Service, folder: string, journal: string): Promise<unknown> {
  const jobs = [{ template: "t", values: { name: "a" } }];
  const sink = sinkFor("{{name}}.pdf", { root: folder });
  return runBulk({ client: service.client(), jobs, sink, journal });
}

/** Tries to use a folder. Returns the message of the error and the number of requests. */
async function refusalOf(use: keyof typeof uses, folder: string) {
  const service = await Service.start(withLength(pdfOf(1_000)));
  const error = await rejectionOf(uses[use](service, folder));
  return { message: String(error), requests: service.requests.length };
}

describe.each(useNames)("%s", (use) => {
  it("creates missing folders", async () => {
    const service = await Service.start(withLength(pdfOf(1_000)));
    const folder = join(temporaryFolder(), "a", "b", "c");
    await uses[use](service, folder);
    expect((await stat(folder)).isDirectory()).toBe(true);
  });

  it.runIf(hasLinks).each(["link", "link/sub/folder"])(
    "names the dangling link in the path %j, and no request is sent",
    async (path) => {
      const at = temporaryFolder();
      await symlink("/missing/folder", join(at, "link"));
      const { message, requests } = await refusalOf(use, join(at, path));
      expect(seenFrom(at, message)).toContain('"/link" is a link to "/missing/folder", which does not exist');
      expect(requests).toBe(0);
      expect(await readlink(join(at, "link"))).toBe("/missing/folder");
    },
  );

  // Node's own recursive `mkdir` never ends there.
  it.runIf(process.platform === "linux").each(["/proc/missing", "/proc/missing/sub/folder"])(
    "rejects %j without a request",
    async (path) => {
      const { message, requests } = await refusalOf(use, path);
      expect(message).toContain('the system does not allow a new folder in "/proc"');
      expect(requests).toBe(0);
    },
  );

  it("rejects a folder in a file without a request", async () => {
    const file = join(temporaryFolder(), "file");
    await writeFile(file, "content");
    const { message, requests } = await refusalOf(use, join(file, "folder"));
    expect(message).toMatch(
      isWindows ? /new folder|not a folder/ : /a part of its path is a file, not a folder/,
    );
    expect(requests).toBe(0);
  });
});

describe.runIf(hasLinks)("A dangling link", () => {
  it("is named if it is the folder of saveTo() without { recursive: true }", async () => {
    const at = temporaryFolder();
    await symlink("gone", join(at, "link"));
    const service = await Service.start(withLength(pdfOf(1_000)));
    const error = await rejectionOf(generate(service.client()).saveTo(join(at, "link", "a.pdf")));
    expect(seenFrom(at, String(error))).toBe(
      'SaveError: Could not save the document to "/link/a.pdf": "/link" is a link to "gone", which does not exist.',
    );
    expect(service.requests).toHaveLength(0);
  });

  it("is named if it is a document, and its folder does not exist", async () => {
    const at = temporaryFolder();
    await symlink("gone/b.pdf", join(at, "a.pdf"));
    const { message } = await refusalOfFile(join(at, "a.pdf"));
    expect(message).toContain('it is a link to "gone/b.pdf", and that file\'s folder does not exist.');
  });

  it("is named if it is a subfolder of a bulk run", async () => {
    const at = temporaryFolder();
    await symlink("gone", join(at, "a"));
    const service = await Service.start(withLength(pdfOf(1_000)));
    const jobs = [{ template: "t", values: { name: "a" } }];
    const sink = sinkFor("{{name}}/document.pdf", { root: at });
    const journal = join(temporaryFolder(), "journal");
    const { failures } = await runBulk({ client: service.client(), jobs, sink, journal });
    expect(failures.map(({ message }) => seenFrom(at, message))).toEqual([
      'The folder "/a" is not writable: "/a" is a link to "gone", which does not exist.',
    ]);
    expect(service.requests).toHaveLength(0);
  });

  it("is named if it is the journal of a bulk run, and its folder does not exist", async () => {
    const at = temporaryFolder();
    const journal = join(at, "journal");
    await symlink("gone/journal", journal);
    const service = await Service.start(withLength(pdfOf(1_000)));
    const error = await rejectionOf(bulkRun(service, temporaryFolder(), journal));
    expect(seenFrom(at, String(error))).toContain(
      '"/journal" is a link to "gone/journal", which does not exist. Fix this',
    );
    expect(await readdir(at)).toEqual(["journal"]);
  });

  it("does not prevent that missing folders are created behind a link to a folder", async () => {
    const at = temporaryFolder();
    await mkdir(join(at, "real"));
    await symlink("real", join(at, "link"));
    expect(await makeFolders(join(at, "link", "a", "b"))).toEqual([
      join(at, "link", "a"),
      join(at, "link", "a", "b"),
    ]);
    expect(existsSync(join(at, "real", "a", "b"))).toBe(true);
  });
});

async function refusalOfFile(path: string) {
  const service = await Service.start(withLength(pdfOf(1_000)));
  return { message: String(await rejectionOf(generate(service.client()).saveTo(path))) };
}

describe("makeFolders()", () => {
  it("returns no folder if all exist", async () => {
    expect(await makeFolders(temporaryFolder())).toEqual([]);
    expect(await makeFolders(".")).toEqual([]);
  });

  it("returns only the folders that it created itself", async () => {
    const at = temporaryFolder();
    const files = fileSystem();
    const { mkdir: make } = files;
    onTestFinished(() => void Object.assign(files, { mkdir: make }));
    // Another program creates the first folder at the same time.
    files.mkdir = (async (path: string) => {
      if (path.endsWith("first")) await make(path);
      return make(path);
    }) as typeof make;
    expect(await makeFolders(join(at, "first", "second"))).toEqual([join(at, "first", "second")]);
  });

  it("rejects if a file has the name of the folder", async () => {
    const path = join(temporaryFolder(), "file");
    await writeFile(path, "content");
    expect(await rejectionOf(makeFolders(path))).toMatchObject({ code: "EEXIST" });
  });
});
