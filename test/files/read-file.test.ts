import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  FileTooLarge,
  openFile,
  readSmallFile,
  readSmallFileSync,
  readToEnd,
} from "../../src/files/read-file.ts";
import { bundleSource } from "../support/bundle-source.ts";
import { property, slowProperty } from "../support/fuzz.ts";
import { hasLinks, hasPipeFiles, hasProcessTable } from "../support/platform.ts";
import { makePipe } from "../support/special-files.ts";
import { makeTemporaryFolder, temporaryFolder } from "../support/temporary-folder.ts";

/** What stands at a path in place of a file, and why it is refused. */
const others: readonly (readonly [kind: string, create: (path: string) => unknown, reason: string])[] = [
  ["a named pipe", makePipe, "it is a named pipe, not a file"],
  ["a link to a device", (path) => symlinkSync("/dev/zero", path), "it is a device, not a file"],
  ["a folder", (path) => mkdirSync(path), "it is a folder, not a file"],
  ["a socket", listenAt, "it is a socket or a missing device, not a file"],
];

async function listenAt(path: string): Promise<void> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(path, resolve));
}

/** A script that reads the file in its first argument synchronously, and prints the error. */
let syncScript = "";

beforeAll(async () => {
  const { path, remove } = makeTemporaryFolder("read-file");
  syncScript = join(path, "read.mjs");
  const source = JSON.stringify(join(import.meta.dirname, "../../src/files/read-file.ts"));
  const script = `import { readSmallFileSync } from ${source};
    try { readSmallFileSync(process.argv[2], 10); } catch ({ message }) { process.stdout.write(message); }`;
  await bundleSource(script, syncScript, {});
  return remove;
});

describe.runIf(hasPipeFiles && hasLinks)("instead of a file,", () => {
  it.each(others)("%s is refused without waiting", async (_kind, create, reason) => {
    const path = join(temporaryFolder(), "file");
    await create(path);
    await expect(openFile(path)).rejects.toThrow(reason);
    await expect(readSmallFile(path, 10)).rejects.toThrow(reason);
    // A synchronous read that waits could not be interrupted in this process.
    const { stdout } = spawnSync(process.execPath, [syncScript, path], {
      timeout: 20_000,
      killSignal: "SIGKILL",
    });
    expect(stdout.toString()).toBe(reason);
  });

  it("a named pipe with a writer is refused, too", async () => {
    const path = makePipe(join(temporaryFolder(), "file"));
    const writer = await open(path, "r+");
    await writer.write("content");
    await expect(readSmallFile(path, 10)).rejects.toThrow("it is a named pipe, not a file");
    await writer.close();
  });
});

it("a missing file causes the system error", async () => {
  const path = join(temporaryFolder(), "file");
  await expect(readSmallFile(path, 10)).rejects.toMatchObject({ code: "ENOENT" });
  expect(() => readSmallFileSync(path, 10)).toThrow(expect.objectContaining({ code: "ENOENT" }));
});

it.runIf(hasProcessTable)(
  "a file whose size is reported as 0 is read to its end, and not beyond the limit",
  async () => {
    const path = `/proc/${process.pid}/maps`;
    const whole = execFileSync("cat", [path]);
    expect((await readSmallFile(path, 2 ** 26)).length).toBeGreaterThan(whole.length / 2);
    await expect(readSmallFile(path, 100)).rejects.toThrow(FileTooLarge);
    expect(() => readSmallFileSync(path, 100)).toThrow(FileTooLarge);
  },
);

it("a file that grows while it is read is refused once it exceeds the limit", async () => {
  const path = join(temporaryFolder(), "file");
  writeFileSync(path, "12345");
  const handle = await openFile(path);
  onTestFinished(() => handle.close());
  const growing = {
    stat: () => handle.stat(),
    read: async (...args: Parameters<FileHandle["read"]>) => {
      const result = await handle.read(...args);
      appendFileSync(path, "67890");
      return result;
    },
  } as FileHandle;
  await expect(readToEnd(growing, 64 * 1024)).rejects.toThrow("it is larger than 64 KiB");
});

slowProperty("a file is returned whole if it is within the limit, and refused otherwise", () =>
  fc.asyncProperty(fc.nat(20_000), fc.integer({ min: -3, max: 3 }), async (maxBytes, more) => {
    const size = Math.max(0, maxBytes + more);
    const content = Buffer.alloc(size, "0123456789");
    const path = join(temporaryFolder(), "file");
    writeFileSync(path, content);
    const isRefused = (error: unknown) => error instanceof FileTooLarge;
    const found = await readSmallFile(path, maxBytes).catch(isRefused);
    let foundSync: unknown;
    try {
      foundSync = readSmallFileSync(path, maxBytes);
    } catch (error) {
      foundSync = isRefused(error);
    }
    const expected = size > maxBytes ? true : content;
    expect({ found, foundSync }).toEqual({ found: expected, foundSync: expected });
    return true;
  }),
);

property("a file is read in pieces of any size, whatever size the system reports", () =>
  fc.asyncProperty(
    fc.array(fc.integer({ min: 1, max: 9_000 }), { maxLength: 6 }),
    fc.nat(30_000),
    fc.nat(30_000),
    async (pieces, reported, maxBytes) => {
      const content = Buffer.from(
        Array.from({ length: pieces.reduce((sum, piece) => sum + piece, 0) }, (_, at) => at),
      );
      const size = Math.min(reported, maxBytes);
      let at = 0;
      let turn = 0;
      const handle = {
        stat: async () => ({ size }),
        read: async (buffer: Buffer, offset: number, length: number) => {
          expect(length).toBeGreaterThan(0);
          const bytesRead = Math.min(length, pieces[turn++] ?? content.length, content.length - at);
          content.copy(buffer, offset, at, at + bytesRead);
          at += bytesRead;
          return { bytesRead, buffer };
        },
      } as unknown as FileHandle;
      const found = await readToEnd(handle, maxBytes).catch((error) => error.constructor);
      expect(found).toEqual(content.length > maxBytes ? FileTooLarge : content);
      return true;
    },
  ),
);
