import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { AtomicFile } from "../../src/files/atomic-file.ts";
import { fileSystem } from "../../src/files/file-system.ts";
import { temporaryFolder } from "../client/every-form.ts";

it("A file is complete even if the system writes only a few bytes at a time", async () => {
  const folder = temporaryFolder();
  const files = fileSystem();
  const { writev } = files;
  onTestFinished(() => void Object.assign(files, { writev }));
  files.writev = (descriptor, [first]) => {
    return writev(descriptor, [first?.subarray(0, 3) ?? new Uint8Array()]);
  };
  const target = { path: join(folder, "a.pdf"), folder, mode: undefined, isDirect: false };
  const file = await AtomicFile.open(target);
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^\.[\da-f-]{36}\.template-pdf$/)]);
  await file.write(["abcde", "", "fgh", "i"].map((text) => Buffer.from(text)));
  await file.finish();
  expect(await readFile(target.path, "utf8")).toBe("abcdefghi");
});
