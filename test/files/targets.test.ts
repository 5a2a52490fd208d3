import { execFileSync } from "node:child_process";
import { fstatSync } from "node:fs";
import { chmod, lstat, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { fileSystem } from "../../src/files/file-system.ts";
import { generate } from "../client/output-methods.ts";
import { modeOf, setUmask } from "../support/file-modes.ts";
import { hasLinks, hasModes } from "../support/platform.ts";
import { beginning, pdfOf, rejectionOf, Service, withLength } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const pdf = pdfOf(200_000);

async function save(path: string): Promise<unknown> {
  const service = await Service.start(withLength(pdf));
  return generate(service.client()).saveTo(path);
}

describe.runIf(hasLinks)("saveTo() through a symbolic link", () => {
  it("keeps the link and replaces its target", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "link.pdf");
    await writeFile(join(folder, "real.pdf"), "old");
    await symlink("real.pdf", path);
    expect(await save(path)).toEqual({ path, bytes: pdf.length });
    expect(await readlink(path)).toBe("real.pdf");
    expect((await lstat(join(folder, "real.pdf"))).isFile()).toBe(true);
    expect(pdf.equals(await readFile(join(folder, "real.pdf")))).toBe(true);
    expect((await readdir(folder)).sort()).toEqual(["link.pdf", "real.pdf"]);
  });

  it("creates the missing file at the end of a chain of 40 links", async () => {
    const folder = temporaryFolder();
    await mkdir(join(folder, "target"));
    for (let index = 0; index < 39; index++) await symlink(`${index + 1}.pdf`, join(folder, `${index}.pdf`));
    await symlink(join("target", "new.pdf"), join(folder, "39.pdf"));
    await save(join(folder, "0.pdf"));
    expect(pdf.equals(await readFile(join(folder, "target", "new.pdf")))).toBe(true);
    expect((await lstat(join(folder, "39.pdf"))).isSymbolicLink()).toBe(true);
    expect(await readdir(join(folder, "target"))).toEqual(["new.pdf"]);
  });

  it.each([
    ["to a file in a missing folder", { a: join("missing", "new.pdf") }, /folder does not exist/],
    ["that is part of a cycle", { a: "b", b: "a" }, /circle|links/],
  ])("rejects a link %s", async (_, links, message) => {
    const folder = temporaryFolder();
    for (const [name, target] of Object.entries(links)) await symlink(target, join(folder, name));
    const error = await rejectionOf(save(join(folder, "a")));
    expect(error).toMatchObject({ code: "not_saved", path: join(folder, "a") });
    expect(String(error)).toMatch(message);
    expect((await readdir(folder)).sort()).toEqual(Object.keys(links));
  });
});

describe.runIf(hasModes)("saveTo()", () => {
  it.each(["640", "755"])("keeps the mode of the replaced file: %s", async (mode) => {
    const path = join(temporaryFolder(), "invoice.pdf");
    await writeFile(path, "old");
    await chmod(path, mode);
    await save(path);
    expect(modeOf(path)).toBe(mode);
  });

  // The superuser may write to any file.
  it.runIf(process.getuid?.() !== 0)("keeps the mode if the user cannot write to the file", async () => {
    const path = join(temporaryFolder(), "invoice.pdf");
    await writeFile(path, "old", { mode: 0o444 });
    const error = await rejectionOf(save(path));
    expect(error).toMatchObject({ code: "not_saved", attempts: 0, cause: { code: "EACCES" } });
    expect(String(error)).toMatch(/: this process does not have permission to write there\.$/);
    const content = await readFile(path, "utf8");
    expect({ mode: modeOf(path), content }).toEqual({ mode: "444", content: "old" });
  });

  it("respects the umask if the file is new", async () => {
    setUmask(0o027);
    const path = join(temporaryFolder(), "invoice.pdf");
    await save(path);
    expect(modeOf(path)).toBe("640");
  });

  it("respects each change of the umask", async () => {
    const folder = temporaryFolder();
    for (const [umask, mode] of [
      [0, "666"],
      [0o077, "600"],
      [0o022, "644"],
    ] as const) {
      setUmask(umask);
      await save(join(folder, mode));
      expect(modeOf(join(folder, mode))).toBe(mode);
    }
  });

  it("creates the temporary file of a new file with mode 600, and writes it with this mode", async () => {
    setUmask(0);
    const { written, createdAndWritten } = observe();
    const path = join(temporaryFolder(), "payslip.pdf");
    await save(path);
    expect([...written]).toEqual(["600"]);
    expect([...createdAndWritten]).toEqual([0o600]);
    expect(modeOf(path)).toBe("666");
  });

  it("saves to a file system that gives every file the same mode", async () => {
    setUmask(0o022);
    const { files, refusal } = observe();
    const { open } = files;
    files.open = (path, flags) => open(path, flags);
    files.chmod = () => Promise.reject(refusal);
    const path = join(temporaryFolder(), "invoice.pdf");
    await save(path);
    expect(modeOf(path)).toBe("644");
  });

  it("rejects if the system refuses the mode of the finished file", async () => {
    setUmask(0o022);
    const { files, refusal } = observe();
    files.chmod = () => Promise.reject(refusal);
    const folder = temporaryFolder();
    const error = await rejectionOf(save(join(folder, "invoice.pdf")));
    expect(error).toMatchObject({ code: "not_saved", cause: refusal });
    expect(await readdir(folder)).toEqual([expect.stringMatching(/\.template-pdf$/)]);
  });

  it("sets the final file mode on the temporary file", async () => {
    setUmask(0);
    const folder = temporaryFolder();
    const path = join(folder, "payslip.pdf");
    await writeFile(path, "old");
    await chmod(path, 0o600);
    const length = { "content-length": String(pdf.length) };
    const service = await Service.start(beginning(pdf.subarray(0, 100_000), length));
    const saving = generate(service.client()).saveTo(path);
    // Ignores the empty file that only checks whether the folder is writable.
    const modes = new Set<string>();
    for (let isWritten = false; !isWritten; ) {
      for (const name of (await readdir(folder)).filter((one) => one !== "payslip.pdf")) {
        const found = await stat(join(folder, name)).catch(() => undefined);
        if (found && found.size > 0) {
          modes.add((found.mode & 0o7777).toString(8));
          isWritten = true;
        }
      }
    }
    (await service.request()).response.end(pdf.subarray(100_000));
    await saving;
    expect([...modes]).toEqual(["600"]);
    expect(modeOf(path)).toBe("600");
  });
});

/** Observes the files that are created and written until the test has finished. */
function observe() {
  const files = fileSystem();
  const { open, writev, chmod } = files;
  onTestFinished(() => void Object.assign(files, { open, writev, chmod }));
  const created = new Map<number, unknown>();
  const createdAndWritten = new Set<unknown>();
  const written = new Set<string>();
  files.open = async (path, flags, mode) => {
    const descriptor = await open(path, flags, mode);
    created.set(descriptor, mode);
    return descriptor;
  };
  files.writev = (descriptor, chunks) => {
    createdAndWritten.add(created.get(descriptor));
    written.add((fstatSync(descriptor).mode & 0o7777).toString(8));
    return writev(descriptor, chunks);
  };
  const refusal = Object.assign(new Error("EPERM: operation not permitted, fchmod"), { code: "EPERM" });
  return { files, refusal, written, createdAndWritten };
}

describe.runIf(process.platform === "linux")("saveTo() with the path of a special file", () => {
  it("writes to a device, directly or through a link", async () => {
    const device = deviceLike("null");
    const { rdev, ino } = await stat(device);
    const path = join(temporaryFolder(), "null.pdf");
    await symlink(device, path);
    expect(await save(device)).toEqual({ path: device, bytes: pdf.length });
    expect(await save(path)).toEqual({ path, bytes: pdf.length });
    expect(await stat(device)).toMatchObject({ rdev, ino });
    expect((await lstat(device)).isCharacterDevice()).toBe(true);
    expect(await readlink(path)).toBe(device);
  });

  it("rejects if the device is full", async () => {
    const device = deviceLike("full");
    const error = await rejectionOf(save(device));
    expect(error).toMatchObject({ code: "not_saved", path: device, cause: { code: "ENOSPC" } });
    expect(String(error)).toContain("the disk is full");
    expect((await lstat(device)).isCharacterDevice()).toBe(true);
  });

  it("writes every byte to a named pipe", async () => {
    const path = join(temporaryFolder(), "pipe");
    execFileSync("mkfifo", [path]);
    const [content, saved] = await Promise.all([readFile(path), save(path)]);
    expect(pdf.equals(content)).toBe(true);
    expect(saved).toEqual({ path, bytes: pdf.length });
    expect((await lstat(path)).isFIFO()).toBe(true);
  });

  it("rejects a named pipe that no program is reading", async () => {
    const path = join(temporaryFolder(), "pipe");
    execFileSync("mkfifo", [path]);
    const error = await rejectionOf(save(path));
    expect(error).toMatchObject({ code: "not_saved", path, cause: { code: "ENXIO" } });
    expect(String(error)).toContain("it is a pipe that no program is reading");
  });
});

/** A device such as /dev/null or /dev/full. For root, it is a copy that a faulty `saveTo` may replace. */
function deviceLike(name: "null" | "full"): string {
  if (process.getuid?.() !== 0) return `/dev/${name}`;
  const path = join(temporaryFolder(), name);
  execFileSync("mknod", [path, "c", "1", name === "null" ? "3" : "7"]);
  return path;
}
