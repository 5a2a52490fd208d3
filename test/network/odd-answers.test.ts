import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { ConnectionError } from "template-pdf";
import { describe, expect, it } from "vitest";
import { generate } from "../client/every-form.ts";
import { clientOf, pdfOf, rejectionOf, transports } from "../support/service.ts";
import { framed, head, serveRaw, turn, wholeAnswer } from "../support/sockets.ts";

const pdf = pdfOf(70_001);

/** Chunks, each shorter than any buffer on the way. */
function chunked(body: Uint8Array, size = 1_013): string {
  const parts = Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
    framed(body.subarray(index * size, (index + 1) * size)),
  );
  return Buffer.concat(parts).toString("latin1");
}

const chunkedHead = head(200, ["transfer-encoding: chunked"]);
const text = pdf.toString("latin1");
const whole = wholeAnswer(pdf).toString("latin1");

/** What servers and proxies really send, in addition to the rows of `test/faults`. Latin-1. */
const answers: readonly (readonly [string, string])[] = [
  [
    "HTTP/1.0 with a length, kept open",
    `HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: ${pdf.length}\r\n\r\n${text}`,
  ],
  [
    "undeclared trailers with names of headers",
    `${chunkedHead + chunked(pdf)}0\r\ncontent-type: text/html\r\ncontent-encoding: gzip\r\nx-request-id: late\r\n\r\n`,
  ],
  [
    "chunk sizes with leading zeros, in capitals",
    `${chunkedHead}0000${pdf.length.toString(16).toUpperCase()}\r\n${text}\r\n0\r\n\r\n`,
  ],
  [
    "gzip in chunks of a few bytes",
    `${head(200, ["transfer-encoding: chunked", "content-encoding: gzip"])}${chunked(gzipSync(pdf), 7)}0\r\n\r\n`,
  ],
  ["a hundred interim responses", head("102 Processing").repeat(100) + whole],
  ["an interim response with an unknown status", head("199 ") + whole],
  [
    "headers without a reason phrase and spaces",
    `HTTP/1.1 200\r\ncontent-length:${pdf.length}\r\n\r\n${text}`,
  ],
];

describe.each(transports)("a client with %s", (transport, options) => {
  it.each(answers)("reads a whole document from %s", async (_, answer) => {
    const server = await serveRaw((socket) => socket.write(answer, "latin1"));
    expect(pdf.equals(await generate(clientOf(server.origin, options)).bytes())).toBe(true);
  });

  // RFC 9110, 15.2, has clients skip it; the fetch of Node, which is built on undici, hangs up.
  it("skips an unexpected 100 Continue, or reports a ConnectionError at once", async () => {
    const answer = head("103 Early Hints") + head("100 Continue") + whole;
    const server = await serveRaw((socket) => socket.write(answer, "latin1"));
    const client = clientOf(server.origin, options);
    for (let round = 0; round < 3; round++) {
      if (transport === "undici") expect(pdf.equals(await generate(client).bytes())).toBe(true);
      else expect(await rejectionOf(generate(client).bytes())).toBeInstanceOf(ConnectionError);
      await turn();
    }
  });

  it("reports a TruncatedPdfError for a length among the trailers", async () => {
    const answer = `${chunkedHead + chunked(pdf)}0\r\ncontent-length: 1\r\n\r\n`;
    const server = await serveRaw((socket) => socket.write(answer, "latin1"));
    const error = await rejectionOf(generate(clientOf(server.origin, options)).bytes());
    expect(error).toMatchObject({ code: "truncated_pdf", receivedBytes: pdf.length });
  });

  it.each([
    ["ended", (socket: Socket) => void socket.end()],
    ["reset", (socket: Socket) => void socket.resetAndDestroy()],
  ])("opens another connection after an idle one was %s", async (_how, end) => {
    let idle: Socket | undefined;
    const server = await serveRaw((socket) => {
      idle = socket;
      socket.write(wholeAnswer(pdf));
    });
    // It tries once: a second try must not be needed.
    const client = clientOf(server.origin, options);
    for (let round = 1; round <= 5; round++) {
      expect(pdf.equals(await generate(client).bytes())).toBe(true);
      const gone = new Promise((resolve) => idle?.once("close", resolve));
      end(idle as Socket);
      await gone;
      await turn();
      expect(server.allSockets).toBe(round);
    }
  });
});
