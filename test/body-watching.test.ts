import { describe, expect, it } from "vitest";
import { bytesIn, open } from "./support/wire.ts";

const limit = 64 * 1024;

describe("what watches over a body", () => {
  it("hears when the bytes stop and flow again, and sees whether they do and who reads", () => {
    const { wire, body, reader } = open(["more", "more", "wait"]);
    expect([body.isRead, body.isPaused]).toEqual([false, false]);
    wire.chunk(limit);
    expect([body.isRead, body.isPaused, wire.flows]).toEqual([false, true, [false]]);
    body.read("stream()", reader);
    expect([body.isRead, body.isPaused, wire.flows]).toEqual([true, false, [false, true]]);
    wire.chunk(1);
    wire.chunk(1);
    expect([body.isPaused, wire.flows]).toEqual([true, [false, true, false]]);
    reader.waiting = false;
    body.resume();
    body.resume();
    expect([body.isPaused, wire.flows]).toEqual([false, [false, true, false, true]]);
  });

  it("hears of no stop once everything came", () => {
    const { wire, body, reader } = open(["wait"]);
    wire.chunk(1);
    wire.chunk(1);
    wire.end();
    body.read("stream()", reader);
    expect([bytesIn(reader.chunks), body.isPaused, wire.flows]).toEqual([2, false, []]);
    expect(reader.last).toEqual(["end"]);
  });

  it("hears once that it may rest", () => {
    const { wire, body, reader } = open();
    body.read("bytes()", reader);
    wire.end();
    body.resume();
    body.cancel("later");
    expect([wire.rests, reader.last]).toEqual([1, ["end"]]);
  });

  it("hears of no stop of a body that was given up while it gave what was held", () => {
    const { wire, body, reader } = open();
    wire.chunk(1);
    wire.chunk(1);
    const write = (chunk: Uint8Array) => {
      reader.chunks.push(chunk);
      body.cancel("enough");
      // A form may be too late to say no.
      return reader.chunks.length === 1;
    };
    body.read("bytes()", Object.assign(reader, { write }));
    expect([bytesIn(reader.chunks), reader.last]).toEqual([1, ["fail: enough"]]);
    expect([wire.flows, wire.paused, wire.rests]).toEqual([[], false, 0]);
  });

  it("hears of no stop either where the form says no by then", () => {
    const { wire, body, reader } = open();
    wire.chunk(1);
    const write = () => {
      body.cancel("enough");
      return false;
    };
    body.read("bytes()", Object.assign(reader, { write }));
    body.resume();
    expect([wire.flows, wire.paused, wire.rests]).toEqual([[], false, 0]);
  });
});

describe("a form that asks for more", () => {
  it("while it gets what was held, gets all of that before anything new", () => {
    const { wire, body, reader } = open(["resume, then wait", "resume, then wait"]);
    wire.chunk(10);
    wire.chunk(limit);
    wire.chunk(5);
    body.read("stream()", reader);
    expect(reader.chunks.map(({ length }) => length)).toEqual([10, limit, 5]);
  });

  it("before there is anything, or while nothing was stopped, changes nothing", () => {
    const { wire, body, reader } = open();
    body.resume();
    wire.chunk(limit);
    body.resume();
    expect([wire.paused, wire.flows]).toEqual([true, [false]]);
    body.read("stream()", reader);
    body.resume();
    expect([wire.paused, wire.flows]).toEqual([false, [false, true]]);
  });

  it("while it is still at work at its end, is not ended twice", async () => {
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
    body.resume();
    expect([ends, wire.rests]).toEqual([1, 0]);
    done();
    await Promise.resolve();
    expect(wire.rests).toBe(1);
  });

  it("is given nothing more once it has failed", () => {
    const { wire, body, reader } = open(["wait"]);
    body.read("stream()", reader);
    wire.chunk(1);
    wire.fail("broken");
    body.resume();
    expect([reader.chunks.length, reader.last, wire.paused]).toEqual([1, ["fail: broken"], true]);
  });
});
