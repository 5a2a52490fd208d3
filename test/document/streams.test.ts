import { describe, expect, it, vi } from "vitest";
import { nodeOutputs } from "../../src/document/node-outputs.ts";
import { iterateChunks, webStreamOf } from "../../src/document/web-stream.ts";
import { Wire } from "../support/wire.ts";

describe("An unread stream of small chunks", () => {
  it.each([
    ["a web stream", (wire: Wire) => webStreamOf(wire.body, "stream()")],
    ["a Node stream", (wire: Wire) => nodeOutputs.toReadable(wire.body)],
  ])("pauses the connection at 64 KiB: %s", async (_, open) => {
    const wire = new Wire();
    const stream = open(wire);
    expect(wire.body.isStream).toBe(true);
    let bytes = 0;
    while (!wire.paused && bytes < 1_000_000) {
      wire.chunk(1024);
      bytes += 1024;
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    // The stream takes a chunk one turn after it arrives.
    expect(bytes).toBe(65 * 1024);
    // A late reader receives everything.
    wire.backlog.push(() => wire.end());
    let read = 0;
    for await (const chunk of stream as AsyncIterable<Uint8Array>) read += chunk.length;
    expect(read).toBe(bytes);
  });
});

describe("A stream that fails while a small chunk waits to be merged", () => {
  it.each([
    ["a web stream", (wire: Wire) => webStreamOf(wire.body, "stream()")],
    ["a Node stream", (wire: Wire) => nodeOutputs.toReadable(wire.body).on("error", () => {})],
  ])("fails with the reason, and forwards the chunk no more: %s", async (_, open) => {
    const wire = new Wire();
    const stream = open(wire);
    wire.chunk(1024);
    wire.chunk(1024);
    const reason = new Error("enough");
    wire.fail(reason);
    // A chunk that is forwarded to a failed web stream throws in a timer, which Vitest reports.
    await new Promise((resolve) => setTimeout(resolve, 5));
    const read = async () => {
      for await (const _ of stream as AsyncIterable<Uint8Array>);
    };
    await expect(read()).rejects.toBe(reason);
  });
});

describe("An iteration over the chunks of a document that could not be opened", () => {
  it("can be ended without a second error", async () => {
    const reason = new Error("enough");
    const iteration = iterateChunks(
      () => Promise.reject(reason),
      async () => {},
    );
    await expect(iteration.next()).rejects.toBe(reason);
    expect(await iteration.return?.()).toEqual({ done: true, value: undefined });
  });
});

describe("A Node stream", () => {
  it.each([undefined, "error", "data", "readable", "end"])(
    "reports a failure to an error listener that is added after the failure (earlier listener: %s)",
    async (event) => {
      const wire = new Wire();
      const stream = nodeOutputs.toReadable(wire.body);
      if (event) stream.on(event, () => {});
      wire.fail("enough");
      expect(stream.destroyed).toBe(event !== undefined);
      const error = await new Promise((resolve) => void stream.on("error", resolve));
      expect(error).toMatchObject({ message: "The document was cancelled.", cause: "enough" });
    },
  );

  it.each([
    [new Error("enough"), "Error: enough"],
    [undefined, "AbortError: The stream was destroyed."],
  ])("cancels its document when destroyed with %o", (given, reason) => {
    const wire = new Wire();
    const fail = vi.spyOn(wire.body, "fail");
    const stream = nodeOutputs.toReadable(wire.body);
    stream.on("error", () => {}).destroy(given);
    expect(fail.mock.calls.map(String)).toEqual([reason]);
  });
});
