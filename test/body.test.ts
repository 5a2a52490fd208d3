import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { property } from "./support/fuzz.ts";
import { type Answer, bytesIn, open, Reader, Wire } from "./support/wire.ts";

const limit = 64 * 1024;

type Event = "end" | "break" | "read" | "resume" | "cancel" | { chunk: number };
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ chunk: fc.constantFrom(0, 1, 1000, 16_384, 65_535, limit, 200_000) }) },
  { weight: 3, arbitrary: fc.constant("resume" as const) },
  { weight: 1, arbitrary: fc.constant("read" as const) },
  {
    weight: 2,
    arbitrary: fc.constantFrom("end" as const, "end" as const, "break" as const, "cancel" as const),
  },
);

/** One document: what happens to it, and what has to hold after each of its events. */
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

describe("any life of a document", () => {
  property("gives every byte in its order, waits where it was asked to, and ends once", () => {
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
});

describe("a document that nobody reads", () => {
  it("holds 64 KiB, then pauses, and goes on when it is read", () => {
    const { wire, body, reader } = open();
    wire.chunk(limit - 1);
    expect(wire.paused).toBe(false);
    wire.chunk(1);
    expect(wire.paused).toBe(true);
    wire.chunk(5);
    wire.end();
    body.read("bytes()", reader);
    expect(bytesIn(reader.chunks)).toBe(limit + 5);
    expect(reader.last).toEqual(["end"]);
  });

  it("tells a late reader why it broke, and gives no byte of what was held", () => {
    const { wire, body, reader } = open();
    wire.chunk(10);
    wire.fail("broken");
    body.cancel("given up afterwards");
    expect([wire.watched, wire.aborted]).toEqual([false, false]);
    body.read("bytes()", reader);
    expect(reader).toMatchObject({ chunks: [], last: ["fail: broken"] });
    expect(wire.watched).toBe(false);
  });
});

describe("a document that is held", () => {
  it.each([
    ["a small slice of a larger buffer", 4_095, 8_192, 4_095],
    ["a large slice of a larger buffer", 4_096, 8_192, 8_192],
  ])("holds %s in as little memory as it can without a needless copy", (_, length, heldBefore, heldAfter) => {
    const { body, reader } = open();
    const chunk = new Uint8Array(heldBefore).subarray(0, length);
    body.write(chunk);
    body.read("bytes()", reader);
    expect(reader.chunks).toEqual([chunk]);
    expect(reader.chunks[0]?.buffer.byteLength).toBe(heldAfter);
    expect(reader.chunks[0] === chunk).toBe(heldBefore === heldAfter);
  });

  it("is given at once, and stays paused if its reader then asks to wait", () => {
    const { wire, body, reader } = open(["more", "wait"]);
    wire.chunk(10);
    wire.chunk(limit);
    body.read("stream()", reader);
    expect([bytesIn(reader.chunks), body.isPaused, wire.flows]).toEqual([10 + limit, true, [false]]);
    reader.waiting = false;
    body.resume();
    expect([body.isPaused, wire.flows]).toEqual([false, [false, true]]);
  });
});

describe("a document whose reader is a stream", () => {
  it("reports that it is one once it is read", () => {
    const { body, reader } = open();
    expect(body.isStream).toBe(false);
    body.read("stream()", Object.assign(reader, { isStream: true }));
    expect(body.isStream).toBe(true);
  });

  it("reports whether the stream is untouched", () => {
    const { body, reader } = open();
    expect(body.isUntouched).toBe(false);
    let untouched = true;
    body.read("stream()", Object.assign(reader, { isStream: true, isUntouched: () => untouched }));
    expect(body.isUntouched).toBe(true);
    untouched = false;
    expect(body.isUntouched).toBe(false);
  });

  it("reports neither if the reader is none", () => {
    const { body, reader } = open();
    body.read("bytes()", reader);
    expect([body.isStream, body.isUntouched]).toEqual([false, false]);
  });
});

describe("a document that fails twice", () => {
  it("fails its reader once, with the first reason", () => {
    const { body, reader } = open();
    body.read("bytes()", reader);
    body.fail("broken");
    body.fail("given up");
    expect(reader.last).toEqual(["fail: broken"]);
  });

  it("does not end the call, which may be retried, when its reader cancels afterwards", () => {
    const { wire, body, reader } = open();
    body.read("bytes()", reader);
    body.fail("broken");
    body.cancel("cancelled");
    expect([wire.aborted, reader.last]).toEqual([false, ["fail: broken"]]);
  });
});

describe("a second reader", () => {
  it("is told which form came first, and disturbs it in nothing", () => {
    const { wire, body, reader } = open();
    body.read("stream()", reader);
    expect(() => body.read("saveTo()", new Reader(body))).toThrow(
      /already read by stream\(\), so saveTo\(\)/,
    );
    wire.chunk(3);
    wire.end();
    expect(reader.last).toEqual(["end"]);
  });
});

describe("a form that is still at work at its end", () => {
  it.each([
    ["may yet be failed", true],
    ["is left in peace once it is done", false],
  ])("%s", async (_, early) => {
    const { wire, body, reader } = open();
    let done = () => {};
    const end = () =>
      new Promise<void>((resolve) => {
        done = resolve;
      });
    body.read("saveTo()", Object.assign(reader, { end }));
    wire.end();
    expect(wire.watched).toBe(true);
    if (!early) {
      done();
      await Promise.resolve();
    }
    body.cancel("cancelled");
    expect(reader.last).toEqual(early ? ["fail: cancelled"] : []);
    done();
    await Promise.resolve();
    expect(wire.watched).toBe(false);
    expect(reader.last).toHaveLength(early ? 1 : 0);
    expect(wire.isWhole).toBe(!early);
  });
});

describe("a form that gives up while it is written to", () => {
  it.each([
    ["as the bytes arrive", false],
    ["as it gets what was held", true],
  ])("%s hears its reason and no more", (_, late) => {
    const { wire, body, reader } = open();
    const write = (chunk: Uint8Array) => {
      reader.chunks.push(chunk);
      body.cancel("too large");
      return false;
    };
    if (!late) body.read("bytes()", Object.assign(reader, { write }));
    wire.chunk(1);
    wire.chunk(2);
    if (late) body.read("bytes()", Object.assign(reader, { write }));
    body.resume();
    expect(bytesIn(reader.chunks)).toBe(1);
    expect(reader.last).toEqual(["fail: too large"]);
    expect(wire).toMatchObject({ aborted: true, watched: false });
  });
});
