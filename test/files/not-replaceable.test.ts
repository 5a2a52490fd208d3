import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SaveError } from "template-pdf";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { fileSystem } from "../../src/files/file-system.ts";
import { generate } from "../client/output-methods.ts";
import { modeOf } from "../support/file-modes.ts";
import { hasModes } from "../support/platform.ts";
import { refuseRenames, replaceFileFunctions } from "../support/refuse-renames.ts";
import { beginning, pdfOf, rejectionOf, Service, withLength } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const pdf = pdfOf(2_500_000);

async function saveOver(path: string): Promise<unknown> {
  const service = await Service.start(withLength(pdf));
  return generate(service.client()).saveTo(path);
}

/** The path of a file with this content and mode 640, in a folder of its own. */
async function existingFile(content = "the old invoice"): Promise<string> {
  const path = join(temporaryFolder(), "invoice.pdf");
  await writeFile(path, content);
  await chmod(path, 0o640);
  return path;
}

describe("saveTo()", () => {
  it.each([
    ["EACCES", "this process does not have permission to replace it"],
    ["EPERM", "this process does not have permission to replace it"],
    ["EROFS", "the file system is read-only"],
    ["ENOSPC", "the disk is full"],
    ["EDQUOT", "the disk quota is used up"],
    ["ETXTBSY", "another program is running it"],
    ["EXDEV", "it is on another file system"],
    ["EIO", "the disk reported an error"],
  ])(
    "leaves the complete document in the folder if the system refuses the rename with %s",
    async (code, why) => {
      const refusal = refuseRenames(code);
      const path = await existingFile();
      const error = (await rejectionOf(saveOver(path))) as SaveError;
      expect(error).toBeInstanceOf(SaveError);
      expect(error).toMatchObject({ path, cause: refusal, attempts: 1 });
      expect(error.message).toContain(`: ${why}.`);
      expect(
        error.message.endsWith(` The complete file is ${JSON.stringify(error.draft)}: move it or delete it.`),
      ).toBe(true);
      expect(pdf.equals(await readFile(error.draft ?? ""))).toBe(true);
      expect(dirname(error.draft ?? "")).toBe(dirname(path));
      expect(await readFile(path, "utf8")).toBe("the old invoice");
      expect(await readdir(dirname(path))).toHaveLength(2);
    },
  );

  it("leaves the complete document in the folder if a folder with its name was created meanwhile", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "invoice.pdf");
    const length = { "content-length": `${pdf.length}` };
    const service = await Service.start(beginning(pdf.subarray(0, 150_000), length));
    const saving = generate(service.client()).saveTo(path);
    await writeHasBegun(folder);
    await mkdir(path);
    (await service.request()).response.end(pdf.subarray(150_000));
    const error = (await rejectionOf(saving)) as SaveError;
    expect(error.message).toContain("it is a folder");
    expect(pdf.equals(await readFile(error.draft ?? ""))).toBe(true);
  });

  it.each(["chmod", "sync"] as const)(
    "leaves the complete document in the folder if the system refuses to %s it",
    async (name) => {
      const refusal = Object.assign(new Error("EIO"), { code: "EIO", syscall: name });
      replaceFileFunctions({ [name]: () => Promise.reject(refusal) });
      const path = await existingFile();
      const error = (await rejectionOf(saveOver(path))) as SaveError;
      expect(error.cause).toBe(refusal);
      expect(pdf.equals(await readFile(error.draft ?? ""))).toBe(true);
    },
  );

  it("names no file if the folder was removed with the complete document", async () => {
    const { rename } = fileSystem();
    const folder = join(temporaryFolder(), "out");
    await mkdir(folder);
    replaceFileFunctions({
      async rename(from, to) {
        await rm(folder, { recursive: true });
        return rename(from, to);
      },
    });
    const error = (await rejectionOf(saveOver(join(folder, "a.pdf")))) as SaveError;
    expect(error).not.toHaveProperty("draft");
    expect(error.message).toMatch(/: its folder does not exist: create it first/);
  });

  it("overwrites a file that is a mount point, and keeps its mode", async () => {
    refuseRenames("EBUSY");
    const path = await existingFile("old".repeat(1_000_000));
    const { ino } = await stat(path);
    expect(await saveOver(path)).toEqual({ path, bytes: pdf.length });
    expect(pdf.equals(await readFile(path))).toBe(true);
    expect((await stat(path)).ino).toBe(ino);
    if (hasModes) expect(modeOf(path)).toBe("640");
    expect(await readdir(dirname(path))).toEqual(["invoice.pdf"]);
  });

  it("leaves the complete document in the folder if the mount point cannot be overwritten", async () => {
    const path = join(temporaryFolder(), "invoice.pdf");
    refuseRenames("EBUSY");
    const error = (await rejectionOf(saveOver(path))) as SaveError;
    expect(error).toMatchObject({ path, cause: { code: "ENOENT" } });
    expect(pdf.equals(await readFile(error.draft ?? ""))).toBe(true);
    expect(await readdir(dirname(path))).toHaveLength(1);
  });
});

/** Waits until a file in the folder has content. */
async function writeHasBegun(folder: string): Promise<void> {
  for (;;) {
    for (const name of await readdir(folder)) {
      const found = await stat(join(folder, name)).catch(() => undefined);
      if (found && found.size > 0) return;
    }
  }
}

/** Pretends that another user runs this process, with these effective capabilities. */
function pretendUser(status: string | Error): void {
  const spy = vi
    .spyOn(process as { geteuid(): number }, "geteuid")
    .mockReturnValue((process.getuid?.() ?? 0) + 1);
  onTestFinished(() => void spy.mockRestore());
  replaceFileFunctions({
    processStatus() {
      if (status instanceof Error) throw status;
      return status;
    },
  });
}

const withoutCapability = "Name:\tnode\nCapEff:\t0000000000000007\nSpeculation:\t0\n";

describe.runIf(process.platform === "linux")("saveTo() over another user's file in a sticky folder", () => {
  it.each([0o1777, 0o1757])("rejects without a request if the folder's mode is %o", async (mode) => {
    pretendUser(withoutCapability);
    const path = await existingFile();
    await chmod(dirname(path), mode);
    const error = (await rejectionOf(saveOver(path))) as SaveError;
    expect(error).toMatchObject({ code: "not_saved", path, attempts: 0 });
    expect(error.message).toMatch(
      /: another user owns it, and only its owner can replace a file in a sticky folder\.$/,
    );
    expect(await readdir(dirname(path))).toEqual(["invoice.pdf"]);
  });

  it.each([
    ["the process has the capability", "CapEff:\t000001ffffffffff\n"],
    ["the capabilities are unknown", "Name:\tnode\n"],
    ["the capabilities cannot be read", new Error("access denied")],
  ])("tries to save if %s", async (_, status) => {
    pretendUser(status);
    const path = await existingFile();
    await chmod(dirname(path), 0o1777);
    expect(await saveOver(path)).toEqual({ path, bytes: pdf.length });
  });

  it("saves if the folder is not sticky", async () => {
    pretendUser(withoutCapability);
    const path = await existingFile();
    expect(await saveOver(path)).toEqual({ path, bytes: pdf.length });
  });
});
