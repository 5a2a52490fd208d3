import { describe, expect, it } from "vitest";
import { skipInterimAnswers } from "../../src/transport/sockets.ts";

/** A socket that has read these pieces. */
function socketOf(pieces: readonly string[]) {
  const left = pieces.filter((piece) => piece !== "").map((piece) => Buffer.from(piece));
  const socket = { read: (): Buffer | null => left.shift() ?? null, write: (): boolean => true };
  return skipInterimAnswers(socket);
}

function readAll(socket: { read(): Buffer | null }): string {
  const parts: Buffer[] = [];
  for (let part = socket.read(); part !== null; part = socket.read()) parts.push(part);
  return Buffer.concat(parts).toString();
}

const final = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbody";

describe("interim answers", () => {
  it.each([
    ["none", ""],
    ["100 Continue", "HTTP/1.1 100 Continue\r\n\r\n"],
    ["three of them, with headers", "HTTP/1.1 100 Continue\r\nx: y\r\n\r\n".repeat(3)],
    ["one after another kind", "HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\nHTTP/1.1 100\r\n\r\n"],
  ])("are skipped, wherever the bytes are cut: %s", (_what, interim) => {
    const all = interim + final;
    for (let cut = 0; cut <= all.length; cut++) {
      for (const next of [cut, cut + 1, cut + 9]) {
        const socket = socketOf([all.slice(0, cut), all.slice(cut, next), all.slice(next)]);
        socket.write();
        expect(readAll(socket)).toBe(final);
      }
    }
  });

  it("stay where no request was sent, and in the middle of a body", () => {
    const text = "HTTP/1.1 100 Continue\r\n\r\n";
    expect(readAll(socketOf([text]))).toBe(text);
    const socket = socketOf([final, text]);
    socket.write();
    expect(readAll(socket)).toBe(final + text);
  });

  it("that never end are left to whoever reads them, and not held", () => {
    const pieces = [
      "HTTP/1.1 103 Early Hints\r\n",
      ...Array.from({ length: 40 }, () => `x: ${"y".repeat(1_000)}\r\n`),
    ];
    const socket = socketOf(pieces);
    socket.write();
    expect(socket.read()?.length).toBeLessThan(20_000);
  });

  it("do not include a change of the protocol", () => {
    const switching = "HTTP/1.1 101 Switching Protocols\r\n\r\n";
    const socket = socketOf([switching, final]);
    socket.write();
    expect(readAll(socket)).toBe(switching + final);
  });
});
