import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { writeAtomically } from "../../src/cli/atomic-file.ts";
import { ReportFile } from "../../src/cli/bulk/report-file.ts";
import { writeFailure } from "../../src/cli/output-path.ts";
import { temporaryFolder } from "../client/every-form.ts";

// Root may write to everything: these tests, too, are to find that somebody else may not.
vi.mock("node:fs/promises", async (original) => {
  const fs = await original<typeof import("node:fs/promises")>();
  const access: typeof fs.access = async (path, mode) => {
    await fs.access(path, mode);
    if (((await fs.stat(path)).mode & 0o222) === 0) throw Object.assign(new Error(), { code: "EACCES" });
  };
  return { ...fs, access };
});

function fileOf(mode: number): string {
  const path = join(temporaryFolder(), "file.csv");
  writeFileSync(path, "of before");
  chmodSync(path, mode);
  return path;
}

describe.each<[title: string, write: (path: string) => Promise<void>]>([
  ["a report", async (path) => (await ReportFile.open(path, "csv")).finish()],
  ["a file of types", (path) => writeAtomically(path, "new")],
])("%s", (_title, write) => {
  it("keeps the mode of the one before, also where no new file would have it", async () => {
    const path = fileOf(0o666);
    await write(path);
    expect(readFileSync(path, "utf8")).not.toBe("of before");
    expect(statSync(path).mode & 0o7777).toBe(0o666);
  });

  it("does not take the place of a file that may not be written to", async () => {
    const path = fileOf(0o444);
    await expect(write(path)).rejects.toMatchObject({
      name: "Misuse",
      message: `Could not write ${path}: this user may not write there.`,
    });
    expect(readFileSync(path, "utf8")).toBe("of before");
    expect(readdirSync(dirname(path))).toEqual([basename(path)]);
  });
});

it("a file that is busy may be a mount point, too", () => {
  const busy = Object.assign(new Error("EBUSY: resource busy or locked"), { code: "EBUSY", syscall: "open" });
  expect(writeFailure("a.csv", busy)).toMatchObject({
    name: "Failure",
    message: "Could not write a.csv: another program has it open, or it is a mount point.",
  });
});
