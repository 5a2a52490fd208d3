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
function fileOn(disk: { bytes: number; atOnce?: number; syncs?: boolean; cuts?: boolean }) {
  const state = { content: Buffer.alloc(0), syncs: 0 };
  const handle = {
    async write(from: Buffer, offset: number, length: number, position: number) {
      const bytesWritten = Math.min(length, disk.atOnce ?? length, disk.bytes - position);
      if (bytesWritten <= 0) throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
      const part = from.subarray(offset, offset + bytesWritten);
      state.content = Buffer.concat([state.content.subarray(0, position), part]);
      return { bytesWritten };
    },
    async datasync() {
      if (disk.syncs === false) throw Object.assign(new Error("EIO"), { code: "EIO" });
      state.syncs++;
    },
    async truncate(length: number) {
      if (disk.cuts === false) throw Object.assign(new Error("EIO"), { code: "EIO" });
      state.content = state.content.subarray(0, length);
    },
  };
  return { file: new JournalFile("run.journal", handle as unknown as FileHandle), state, disk };
}

describe("the file of a journal", () => {
  it("continues after a partial write", async () => {
    const { file, state } = fileOn({ bytes: 1000, atOnce: 7 });
    await file.begin(header);
    await file.append(Buffer.concat([line, line]));
    expect(state.content.equals(Buffer.concat([headerBytes, line, line]))).toBe(true);
    expect(state.syncs).toBe(2);
  });

  it.each([
    ["a full disk", { bytes: headerBytes.length + line.length + 20 }],
    ["a disk that fails to sync", { bytes: 1000 }],
  ])("keeps its content without a partial line on %s", async (_title, disk) => {
    const { file, state, disk: same } = fileOn(disk);
    await file.begin(header);
    await file.append(line);
    const before = state.content;
    same.syncs = false;
    await expect(file.append(line)).rejects.toThrow(disk.bytes === 1000 ? "EIO" : "ENOSPC");
    expect(state.content.equals(before)).toBe(true);
    // Space was freed, so the next line follows the content.
    Object.assign(same, { bytes: 1000, syncs: true });
    await file.append(line);
    expect(state.content.equals(Buffer.concat([headerBytes, line, line]))).toBe(true);
  });

  it("throws the first error if a partial line cannot be truncated", async () => {
    const { file, disk } = fileOn({ bytes: headerBytes.length + 20 });
    await file.begin(header);
    disk.cuts = false;
    await expect(file.append(line)).rejects.toThrow("ENOSPC");
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

describe("the groups of lines", () => {
  it("are written one after the other, and lines that arrive during a write form the next group", async () => {
    const { groups, writes, nthWrite } = groupsByHand();
    const settled: string[] = [];
    const add = (text: string) => groups.add(text).then(() => settled.push(text));
    const first = [add("a"), add("b")];
    const write = await nthWrite(1);
    const second = [add("c"), add("d")];
    expect([settled, write.lines, writes.length]).toEqual([[], "ab", 1]);
    write.done();
    await Promise.all(first);
    expect(settled).toEqual(["a", "b"]);
    const next = await nthWrite(2);
    expect(next.lines).toBe("cd");
    next.done();
    await Promise.all(second);
    expect(settled).toEqual(["a", "b", "c", "d"]);
  });

  it("are written at once if they are large", async () => {
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

  it("reject all waiting and later lines if one cannot be written", async () => {
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

  it("are all written when the journal is closed, after which lines are rejected", async () => {
    const { groups, nthWrite } = groupsByHand();
    const first = groups.add("a");
    const write = await nthWrite(1);
    const second = groups.add("b");
    let hasEnded = false;
    const ended = groups.end(new Error("closed")).then(() => {
      hasEnded = true;
    });
    write.done();
    await first;
    const last = await nthWrite(2);
    expect(hasEnded).toBe(false);
    last.done();
    await Promise.all([second, ended]);
    await expect(groups.add("c")).rejects.toThrow("closed");
  });
});
