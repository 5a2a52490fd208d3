import { describe, expect, it } from "vitest";
import { skipInterimAnswers } from "../../src/transport/sockets.ts";

/** Returns the parts that are read from a socket that receives these pieces, after a request by default. */
function readAll(pieces: readonly string[], isAsked = true): string[] {
  const left = pieces.filter((piece) => piece !== "").map((piece) => Buffer.from(piece));
  const socket = skipInterimAnswers({ read: (): Buffer | null => left.shift() ?? null, write: () => true });
  if (isAsked) socket.write();
  const parts: string[] = [];
  for (let part = socket.read(); part !== null; part = socket.read()) parts.push(part.toString());
  return parts;
}

const final = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbody";
const interim = "HTTP/1.1 100 Continue\r\n\r\n";

describe("a socket that skips interim responses", () => {
  it.each([
    ["no interim response", ""],
    ["100 Continue", interim],
    ["three interim responses with headers", "HTTP/1.1 100 Continue\r\nx: y\r\n\r\n".repeat(3)],
    ["two kinds of interim responses", "HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\nHTTP/1.1 100\r\n\r\n"],
  ])("delivers only the final response, however the bytes are split: %s", (_what, before) => {
    const all = before + final;
    for (let cut = 0; cut <= all.length; cut++) {
      for (const next of [cut, cut + 1, cut + 9]) {
        expect(readAll([all.slice(0, cut), all.slice(cut, next), all.slice(next)]).join("")).toBe(final);
      }
    }
  });

  it("does not skip data before a request or within a body", () => {
    expect(readAll([interim], false)).toEqual([interim]);
    expect(readAll([final, interim])).toEqual([final, interim]);
    expect(readAll(["HTTP/1.1 101 Upgrade\r\n\r\n"])).toHaveLength(1);
  });

  it("stops buffering an interim response that never ends", () => {
    const lines = Array.from({ length: 40 }, () => `x: ${"y".repeat(1_000)}\r\n`);
    const pieces = ["HTTP/1.1 103 Early Hints\r\n", ...lines];
    const parts = readAll(pieces);
    expect(parts[0]?.length).toBeLessThan(20_000);
    expect(parts.join("")).toBe(pieces.join(""));
  });
});
