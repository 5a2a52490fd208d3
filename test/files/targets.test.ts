import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readSync } from "node:fs";
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { generate, temporaryFolder } from "../client/every-form.ts";
import { hasLinks, hasModes, isWindows } from "../support/platform.ts";
import { beginning, pdfOf, rejectionOf, Service, saying, withLength } from "../support/service.ts";

const pdf = pdfOf(200_000);

async function save(path: string, answer = withLength(pdf)): Promise<unknown> {
  const service = await Service.start(answer);
  return generate(service.client()).saveTo(path);
}

describe.runIf(hasLinks)("links:", () => {
  it("a link to a file stays a link, and its file is replaced", async () => {
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

  it("a link that leads nowhere gets its file", async () => {
    const folder = temporaryFolder();
    await mkdir(join(folder, "target"));
    await symlink(join("target", "new.pdf"), join(folder, "link.pdf"));
    await save(join(folder, "link.pdf"));
    expect(pdf.equals(await readFile(join(folder, "target", "new.pdf")))).toBe(true);
    expect((await lstat(join(folder, "link.pdf"))).isSymbolicLink()).toBe(true);
    expect(await readdir(join(folder, "target"))).toEqual(["new.pdf"]);
  });

  it("a link that leads into a missing folder is refused", async () => {
    const folder = temporaryFolder();
    await symlink(join("missing", "new.pdf"), join(folder, "link.pdf"));
    expect(await rejectionOf(save(join(folder, "link.pdf")))).toMatchObject({ code: "not_saved" });
  });

  it("links to links are followed, 40 of them", async () => {
    const folder = temporaryFolder();
    for (let index = 0; index < 40; index++) await symlink(`${index + 1}.pdf`, join(folder, `${index}.pdf`));
    await save(join(folder, "0.pdf"));
    expect((await lstat(join(folder, "40.pdf"))).isFile()).toBe(true);
    expect((await lstat(join(folder, "39.pdf"))).isSymbolicLink()).toBe(true);
  });

  it("links in a circle are refused", async () => {
    const folder = temporaryFolder();
    await symlink("b.pdf", join(folder, "a.pdf"));
    await symlink("a.pdf", join(folder, "b.pdf"));
    await symlink("self.pdf", join(folder, "self.pdf"));
    for (const name of ["a.pdf", "self.pdf"]) {
      const error = await rejectionOf(save(join(folder, name)));
      expect(error).toMatchObject({ code: "not_saved", path: join(folder, name) });
      expect(String(error)).toMatch(/circle|links/);
    }
    expect((await readdir(folder)).sort()).toEqual(["a.pdf", "b.pdf", "self.pdf"]);
  });

  it("a link to a folder is refused, and a linked folder is entered", async () => {
    const folder = temporaryFolder();
    await mkdir(join(folder, "real"));
    await symlink("real", join(folder, "linked"));
    expect(String(await rejectionOf(save(join(folder, "linked"))))).toContain("it is a folder");
    await save(join(folder, "linked", "a.pdf"));
    expect(await readdir(join(folder, "real"))).toEqual(["a.pdf"]);
  });

  // Windows takes the path at its word.
  it.runIf(!isWindows)(
    "what stands above a linked folder is what the system says, not what the path looks like",
    async () => {
      const folder = await realpath(temporaryFolder());
      await mkdir(join(folder, "far", "away"), { recursive: true });
      await symlink(join("far", "away"), join(folder, "linked"));
      // A link in a linked folder: its ".." is far, not the folder.
      await symlink(join("..", "by-link.pdf"), join(folder, "far", "away", "up.pdf"));
      await save(join(folder, "linked", "up.pdf"));
      await save(`${folder}/linked/../by-path.pdf`);
      expect((await readdir(join(folder, "far"))).sort()).toEqual(["away", "by-link.pdf", "by-path.pdf"]);
      expect((await readdir(folder)).sort()).toEqual(["far", "linked"]);
    },
  );
});

describe.runIf(hasModes)("modes:", () => {
  const umask = process.umask();
  afterEach(() => {
    process.umask(umask);
  });
  const modeOf = async (path: string) => ((await stat(path)).mode & 0o7777).toString(8);

  it.each([0o640, 0o600, 0o666, 0o755, 0o444])("an existing file keeps its mode: %o", async (mode) => {
    const path = join(temporaryFolder(), "invoice.pdf");
    await writeFile(path, "old");
    await chmod(path, mode);
    await save(path).catch((error) => {
      // Only the superuser may write to a file that nobody may write to.
      if (mode & 0o200 || process.getuid?.() === 0) throw error;
    });
    expect(await modeOf(path)).toBe(mode.toString(8));
  });

  it.each([
    [0o022, "644"],
    [0o077, "600"],
    [0o000, "666"],
  ])("a new file's mode respects the umask %o", async (mask, expected) => {
    process.umask(mask);
    const path = join(temporaryFolder(), "invoice.pdf");
    await save(path);
    expect(await modeOf(path)).toBe(expected);
  });

  it("nobody may read the draft of a file that nobody may read", async () => {
    process.umask(0);
    const folder = temporaryFolder();
    const path = join(folder, "payslip.pdf");
    await writeFile(path, "old");
    await chmod(path, 0o600);
    const service = await Service.start(
      beginning(pdf.subarray(0, 100_000), { "content-length": String(pdf.length) }),
    );
    const saving = generate(service.client()).saveTo(path);
    // The draft, once something was written to it: an empty one that is gone again was only a trial.
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
    expect(await modeOf(path)).toBe("600");
  });
});

describe.runIf(process.platform === "linux")("what is no regular file is written to, and stays:", () => {
  it("a device, also behind a link", async () => {
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

  it("a device that is full, with an error that says what is wrong", async () => {
    const device = deviceLike("full");
    const error = await rejectionOf(save(device));
    expect(error).toMatchObject({ code: "not_saved", path: device, cause: { code: "ENOSPC" } });
    expect(String(error)).toContain("the disk is full");
    expect((await lstat(device)).isCharacterDevice()).toBe(true);
  });

  it("a pipe with a name, whose reader gets every byte", async () => {
    const path = join(temporaryFolder(), "pipe");
    execFileSync("mkfifo", [path]);
    const [content, saved] = await Promise.all([readFile(path), save(path)]);
    expect(pdf.equals(content)).toBe(true);
    expect(saved).toEqual({ path, bytes: pdf.length });
    expect((await lstat(path)).isFIFO()).toBe(true);
  });

  it("a pipe with a name that nobody reads is refused", async () => {
    const path = join(temporaryFolder(), "pipe");
    execFileSync("mkfifo", [path]);
    const error = await rejectionOf(save(path));
    expect(error).toMatchObject({ code: "not_saved", path, cause: { code: "ENXIO" } });
    expect(String(error)).toContain("it is a pipe that no program reads");
  });

  it("a pipe gets nothing of an answer that is no PDF", async () => {
    const path = join(temporaryFolder(), "pipe");
    execFileSync("mkfifo", [path]);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    await rejectionOf(save(path, saying(200, "<html>")));
    expect(readSync(reader, Buffer.alloc(1))).toBe(0);
    closeSync(reader);
  });
});

/**
 * A device like /dev/null or /dev/full. To the superuser, who could rename over the machine's own if `saveTo`
 * were broken, it is one of the test's own.
 */
function deviceLike(name: "null" | "full"): string {
  if (process.getuid?.() !== 0) return `/dev/${name}`;
  const path = join(temporaryFolder(), name);
  execFileSync("mknod", [path, "c", "1", name === "null" ? "3" : "7"]);
  return path;
}
