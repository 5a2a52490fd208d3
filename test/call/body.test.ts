import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { property } from "../support/fuzz.ts";
import { type Answer, bytesIn, open, Reader, Wire } from "../support/wire.ts";

const limit = 64 * 1024;

type Event = "end" | "break" | "read" | "resume" | "cancel" | { chunk: number };
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ chunk: fc.constantFrom(0, 1, 1000, 16_384, 65_535, limit, 200_000) }) },
  { weight: 3, arbitrary: fc.constant<Event>("resume") },
  { weight: 1, arbitrary: fc.constant<Event>("read") },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Event>("end", "end", "break", "cancel"),
  },
);

/** Plays the events of one body, and records its state after each. */
class Life {
  readonly #wire = new Wire();
  readonly #reader: Reader;
  #isRead = false;
  #failure: string | undefined;

  constructor(script: readonly Answer[]) {
    this.#reader = new Reader(this.#wire.body, script);
  }

  happen(now: Event): void {
    const { body, over, aborted } = this.#wire;
    if (typeof now === "object") this.#wire.chunk(now.chunk);
    else if (now === "end") this.#wire.end();
    else if (now === "break") {
      if (!over && !aborted) this.#failure = "fail: broken";
      this.#wire.fail("broken");
    } else if (now === "cancel") {
      if (this.#reader.last.length === 0) this.#failure ??= "fail: cancelled";
      body.cancel("cancelled");
    } else if (now === "read") {
      if (this.#isRead) expect(() => body.read("again", new Reader(body))).toThrow(TypeError);
      else body.read("first", this.#reader);
      this.#isRead = true;
    } else if (this.#isRead) {
      this.#reader.waiting = false;
      body.resume();
    }
  }

  check(): void {
    const { paused, over, aborted, watched } = this.#wire;
    const { waiting, last } = this.#reader;
    const given = Buffer.concat(this.#reader.chunks);
    const sent = Buffer.concat(this.#wire.sent);
    const held = this.#failure ? 0 : sent.length - given.length;

    expect(given.equals(sent.subarray(0, given.length)), "in order").toBe(true);
    if (this.#isRead) expect(held, "nothing held back").toBe(0);
    if (!over && !aborted) {
      expect(paused, "paused while the form waits, or enough is held").toBe(
        this.#isRead ? waiting : held >= limit,
      );
    }
    const isWhole = over && held === 0 && !waiting;
    if (!this.#isRead) expect(last).toEqual([]);
    else if (this.#failure) expect(last).toEqual([this.#failure]);
    else if (isWhole) expect(last).toEqual(["end"]);
    else expect(last.length).toBeLessThanOrEqual(1);
    if (last[0] === "end") expect(given.length, "complete").toBe(sent.length);
    expect(watched, "watched while a form waits for it").toBe(this.#isRead && last.length === 0);
  }
}

property("A body passes every byte in order, pauses if its reader requests a pause, and ends once", () => {
  const events = fc.array(event, { maxLength: 40 });
  const script = fc.array(fc.constantFrom<Answer>("more", "wait", "resume, then wait"), { maxLength: 40 });
  return fc.property(events, script, (happenings, answers) => {
    const life = new Life(answers);
    for (const now of happenings) {
      life.happen(now);
      life.check();
    }
  });
});

describe("A body without a reader", () => {
  it("buffers 64 KiB for a later reader before it pauses", () => {
    const { wire, body, reader } = open(["more", "more", "more", "wait"]);
    wire.chunk(limit - 1);
    expect({
      isWirePaused: wire.paused,
      isPaused: body.isPaused,
      readState: body.readState,
      flows: wire.flows,
    }).toEqual({ isWirePaused: false, isPaused: false, readState: "nobody", flows: [] });
    wire.chunk(1);
    expect({
      isWirePaused: wire.paused,
      isPaused: body.isPaused,
      readState: body.readState,
      flows: wire.flows,
    }).toEqual({ isWirePaused: true, isPaused: true, readState: "nobody", flows: [false] });
    body.resume();
    expect(wire.paused).toBe(true);
    wire.chunk(5);
    body.read("stream()", reader);
    expect({
      readBytes: bytesIn(reader.chunks),
      isPaused: body.isPaused,
      readState: body.readState,
      flows: wire.flows,
    }).toEqual({ readBytes: limit + 5, isPaused: false, readState: "reading", flows: [false, true] });
    wire.chunk(1);
    expect({ isPaused: body.isPaused, flows: wire.flows }).toEqual({
      isPaused: true,
      flows: [false, true, false],
    });
    reader.waiting = false;
    body.resume();
    body.resume();
    expect({ isPaused: body.isPaused, flows: wire.flows }).toEqual({
      isPaused: false,
      flows: [false, true, false, true],
    });
  });

  it("does not pause after all bytes have arrived", () => {
    const { wire, body, reader } = open(["wait"]);
    wire.chunk(1);
    wire.chunk(1);
    wire.end();
    body.read("stream()", reader);
    expect({ readBytes: bytesIn(reader.chunks), isPaused: body.isPaused, flows: wire.flows }).toEqual({
      readBytes: 2,
      isPaused: false,
      flows: [],
    });
    expect(reader.last).toEqual(["end"]);
  });

  it.each([
    ["copies a 4,095-byte slice of a larger buffer", 4_095, 8_192, 4_095],
    ["does not copy a 4,096-byte slice of a larger buffer", 4_096, 8_192, 8_192],
  ])("%s", (_, length, bufferBefore, bufferAfter) => {
    const { body, reader } = open();
    const chunk = new Uint8Array(bufferBefore).subarray(0, length);
    body.write(chunk);
    body.read("bytes()", reader);
    expect(reader.chunks).toEqual([chunk]);
    expect(reader.chunks[0]?.buffer.byteLength).toBe(bufferAfter);
    expect(reader.chunks[0] === chunk).toBe(bufferBefore === bufferAfter);
  });
});

describe("A body", () => {
  it("does not pause if its reader calls `resume()` while receiving a chunk", () => {
    const { wire, body, reader } = open(["resume, then wait"]);
    body.read("stream()", reader);
    wire.chunk(1);
    expect(wire.flows).toEqual([]);
  });

  it("ignores a cancellation after a failure", () => {
    const { wire, body } = open();
    body.fail("reset");
    body.cancel("cancelled");
    expect(wire.aborted).toBe(false);
  });

  it("is not whole if its reader cancels it at the end", () => {
    const { wire, body, reader } = open();
    body.read("bytes()", Object.assign(reader, { end: () => body.cancel("no memory") }));
    wire.chunk(1);
    wire.end();
    expect({ isWhole: wire.isWhole, last: reader.last }).toEqual({
      isWhole: false,
      last: ["fail: no memory"],
    });
  });

  it("reports whether its reader is a stream that has not been read yet", () => {
    const { body, reader } = open();
    const state = () => ({ isStream: body.isStream, readState: body.readState });
    expect(state()).toEqual({ isStream: false, readState: "nobody" });
    let isUntouched = true;
    body.read("stream()", Object.assign(reader, { isStream: true, isUntouched: () => isUntouched }));
    expect(state()).toEqual({ isStream: true, readState: "untouched" });
    isUntouched = false;
    expect(state()).toEqual({ isStream: true, readState: "reading" });
    const other = open();
    other.body.read("bytes()", other.reader);
    expect({ isStream: other.body.isStream, readState: other.body.readState }).toEqual({
      isStream: false,
      readState: "reading",
    });
  });

  it("rejects a second reader with an error that identifies the first output method", () => {
    const { wire, body, reader } = open();
    body.read("stream()", reader);
    const second = () => body.read("saveTo()", new Reader(body));
    expect(second).toThrow(/^saveTo\(\) cannot read the document, because stream\(\) has already read it\./);
    wire.chunk(3);
    wire.end();
    expect(reader.last).toEqual(["end"]);
  });
});

describe("A reader with an asynchronous `end()`", () => {
  it.each([
    ["fails if the body is cancelled before `end()` settles", true],
    ["does not fail if the body is cancelled after `end()` settles", false],
  ])("%s", async (_, early) => {
    const { wire, body, reader } = open(["wait"]);
    let ends = 0;
    let done = () => {};
    const end = () => {
      ends++;
      return new Promise<void>((resolve) => {
        done = resolve;
      });
    };
    body.read("saveTo()", Object.assign(reader, { end }));
    wire.chunk(1);
    wire.end();
    reader.waiting = false;
    body.resume();
    expect({ ends, watched: wire.watched, isWhole: wire.isWhole }).toEqual({
      ends: 1,
      watched: true,
      isWhole: false,
    });
    if (!early) {
      done();
      await Promise.resolve();
    }
    body.cancel("cancelled");
    done();
    await Promise.resolve();
    expect(reader.last).toEqual(early ? ["fail: cancelled"] : []);
    expect({ watched: wire.watched, isWhole: wire.isWhole }).toEqual({ watched: false, isWhole: !early });
  });
});

it.each([
  ["the reader cancels on a new chunk and requests a pause", false, false],
  ["the reader cancels on a buffered chunk and does not request a pause", true, true],
])("A reader that cancels the body receives no more data (case: %s)", (_, isHeld, answer) => {
  const { wire, body, reader } = open();
  const write = (chunk: Uint8Array) => {
    reader.chunks.push(chunk);
    body.cancel("too large");
    return answer;
  };
  if (!isHeld) body.read("bytes()", Object.assign(reader, { write }));
  wire.chunk(1);
  wire.chunk(2);
  if (isHeld) body.read("bytes()", Object.assign(reader, { write }));
  body.resume();
  body.write(new Uint8Array(1));
  body.fail("reset");
  expect({ readBytes: bytesIn(reader.chunks), last: reader.last }).toEqual({
    readBytes: 1,
    last: ["fail: too large"],
  });
  expect(wire).toMatchObject({ aborted: true, watched: false, flows: [], paused: false });
});
