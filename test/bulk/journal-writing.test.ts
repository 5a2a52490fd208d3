import type { FileHandle } from "node:fs/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { JournalFile } from "../../src/bulk/journal/journal-file.ts";
import { encodeHeader, encodeLine } from "../../src/bulk/journal/journal-format.ts";
import { LineGroups } from "../../src/bulk/journal/line-groups.ts";
import { eventually } from "../support/eventually.ts";
import { turns } from "../support/service.ts";

const header = { salt: "salt", run: {} };
const headerBytes = encodeHeader(header);
const line = Buffer.from(encodeLine(Uint32Array.of(1, 2, 3, 4, 5, 6)));

/** A file in memory, on a disk with this capacity and this maximum write size. */
function fileOn(disk: { bytes: number; atOnce?: number; syncs?: boolean }) {
  const state = { content: Buffer.alloc(0), syncs: 0 };
  const handle = {
    async write(from: Buffer, offset: number, length: number, position: number) {
      const bytesWritten = Math.min(length, disk.atOnce ?? length, disk.bytes - position);
      if (bytesWritten <= 0) throw new Error("ENOSPC");
      const part = from.subarray(offset, offset + bytesWritten);
      state.content = Buffer.concat([state.content.subarray(0, position), part]);
      return { bytesWritten };
    },
    async datasync() {
      if (disk.syncs === false) throw new Error("EIO");
      state.syncs++;
    },
    async truncate(length: number) {
      state.content = state.content.subarray(0, length);
    },
  };
  return { file: new JournalFile("run.journal", handle as unknown as FileHandle), state };
}

describe("a journal's file", () => {
  it("receives the remaining bytes after a partial write", async () => {
    const { file, state } = fileOn({ bytes: 1000, atOnce: 7 });
    await file.begin(header);
    await file.append(Buffer.concat([line, line]));
    expect(state.content.equals(Buffer.concat([headerBytes, line, line]))).toBe(true);
    expect(state.syncs).toBe(2);
  });

  it.each([
    ["the disk is full", { bytes: headerBytes.length + line.length + 20, syncs: true }, "ENOSPC"],
    ["the file cannot be synced", { bytes: 1000, syncs: false }, "EIO"],
  ])("keeps only the earlier lines if a write fails because %s", async (_title, broken, code) => {
    const disk = { bytes: 1000, syncs: true };
    const { file, state } = fileOn(disk);
    await file.begin(header);
    await file.append(line);
    const before = state.content;
    Object.assign(disk, broken);
    await expect(file.append(line)).rejects.toThrow(code);
    expect(state.content.equals(before)).toBe(true);
    // The disk works again, so the next line follows the content.
    Object.assign(disk, { bytes: 1000, syncs: true });
    await file.append(line);
    expect(state.content.equals(Buffer.concat([headerBytes, line, line]))).toBe(true);
  });
});

/** Groups of lines in which each write waits until the test ends it. */
function groupsByHand() {
  const writes: { lines: string; done: () => void; fail: (error: Error) => void }[] = [];
  const groups = new LineGroups(
    (lines) => new Promise((done, fail) => void writes.push({ lines, done, fail })),
  );
  const nthWrite = async (count: number) => {
    await eventually(() => writes.length === count);
    return writes[count - 1] as (typeof writes)[number];
  };
  return { groups, writes, nthWrite };
}

describe("journal lines", () => {
  it("are written together if they arrive during an earlier write", async () => {
    const { groups, writes, nthWrite } = groupsByHand();
    const settled: string[] = [];
    const add = (text: string) => groups.add(text).then(() => settled.push(text));
    const first = [add("a"), add("b")];
    const write = await nthWrite(1);
    const second = [add("c"), add("d")];
    expect({ settled, lines: write.lines, writeCount: writes.length }).toEqual({
      settled: [],
      lines: "ab",
      writeCount: 1,
    });
    write.done();
    await Promise.all(first);
    expect(settled).toEqual(["a", "b"]);
    const next = await nthWrite(2);
    expect(next.lines).toBe("cd");
    next.done();
    await Promise.all(second);
    expect(settled).toEqual(["a", "b", "c", "d"]);
  });

  it("are written at once if 1,024 lines are waiting", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { groups, writes } = groupsByHand();
    for (let count = 0; count < 1023; count++) groups.add("x");
    await turns();
    expect(writes).toHaveLength(0);
    groups.add("x");
    await turns();
    expect(writes.map(({ lines }) => lines.length)).toEqual([1024]);
  });

  it("are rejected after a write fails", async () => {
    const { groups, writes, nthWrite } = groupsByHand();
    const error = new Error("full");
    const first = expect(groups.add("a")).rejects.toBe(error);
    const write = await nthWrite(1);
    const second = expect(groups.add("b")).rejects.toBe(error);
    write.fail(error);
    await Promise.all([first, second]);
    await expect(groups.add("c")).rejects.toBe(error);
    await groups.end(new Error("closed"));
    await expect(groups.add("d")).rejects.toBe(error);
    expect(writes).toHaveLength(1);
  });
});
