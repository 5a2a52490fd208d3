import type { Socket } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { ConnectionError } from "template-pdf";
import { describe, expect, it } from "vitest";
import { forms, generate } from "../client/every-form.ts";
import { pdfOf, rejectionOf, transports } from "../support/service.ts";
import { framed, head, serveRaw, turn } from "../transport/server.ts";
import { clientOf } from "../transport/service.ts";

const pdf = pdfOf(70_001);

/** The parts of a body, none of them as long as any buffer on the way. */
function chunked(body: Uint8Array, size = 1_013): Buffer {
  const parts = Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
    framed(body.subarray(index * size, (index + 1) * size)),
  );
  return Buffer.concat(parts);
}

const chunkedHead = (headers: readonly string[] = []) =>
  head(200, ["transfer-encoding: chunked", ...headers]);
const lastChunk = "0\r\n\r\n";

/** What servers and what stands before them really send, though hardly anybody tries it. */
const answers: readonly (readonly [string, (socket: Socket) => void])[] = [
  [
    "HTTP/1.0 without a length",
    (socket) => {
      socket.write("HTTP/1.0 200 OK\r\ncontent-type: application/pdf\r\n\r\n");
      socket.end(pdf);
    },
  ],
  [
    "HTTP/1.0 with a length, kept open",
    (socket) => {
      socket.write(`HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: ${pdf.length}\r\n\r\n`);
      socket.write(pdf);
    },
  ],
  [
    "chunks with extensions, and trailers that were announced",
    (socket) => {
      socket.write(chunkedHead(["trailer: x-sum, x-pages"]));
      socket.write(`8;name="a value"\r\n${pdf.subarray(0, 8).toString("latin1")}\r\n`);
      socket.write(chunked(pdf.subarray(8)));
      socket.write("0;last\r\nx-sum: 1\r\nx-pages: 2\r\n\r\n");
    },
  ],
  [
    "trailers that nobody announced, and that are of a head",
    (socket) => {
      socket.write(chunkedHead());
      socket.write(chunked(pdf));
      socket.write("0\r\ncontent-type: text/html\r\ncontent-encoding: gzip\r\nx-request-id: late\r\n\r\n");
    },
  ],
  [
    "chunk sizes with leading zeros, in capitals",
    (socket) => {
      socket.write(chunkedHead());
      for (let at = 0; at < pdf.length; at += 2_748) {
        const part = pdf.subarray(at, at + 2_748);
        socket.write(`0000${part.length.toString(16).toUpperCase()}\r\n`);
        socket.write(part);
        socket.write("\r\n");
      }
      socket.write(lastChunk);
    },
  ],
  ["gzip that was not asked for", encoded("gzip", gzipSync(pdf))],
  ["brotli that was not asked for", encoded("br", brotliCompressSync(pdf))],
  ["deflate that was not asked for", encoded("deflate", deflateSync(pdf))],
  ["deflate without its wrapper", encoded("deflate", deflateRawSync(pdf))],
  [
    "gzip in chunks, cut where no coding would",
    (socket) => {
      socket.write(chunkedHead(["content-encoding: gzip"]));
      socket.write(chunked(gzipSync(pdf), 7));
      socket.write(lastChunk);
    },
  ],
  ["102 while it renders", after(head("102 Processing"))],
  ["103 with hints", after(head("103 Early Hints", ["link: </style.css>; rel=preload; as=style"]))],
  ["a hundred interim answers", after(head("102 Processing").repeat(100))],
  ["an interim answer that has no name yet", after(head("199 "))],
  [
    "a head byte by byte",
    async (socket) => {
      socket.setNoDelay(true);
      for (const letter of head(200, [`content-length: ${pdf.length}`])) await written(socket, letter);
      socket.write(pdf);
    },
  ],
  [
    "a head without a reason phrase, and without spaces",
    (socket) => {
      socket.write(`HTTP/1.1 200\r\ncontent-length:${pdf.length}\r\n\r\n`);
      socket.write(pdf);
    },
  ],
];

/** Answers with bytes as they are, under a coding. */
function encoded(coding: string, content: Buffer): (socket: Socket) => void {
  return (socket) => {
    socket.write(head(200, [`content-encoding: ${coding}`, `content-length: ${content.length}`]));
    socket.write(content);
  };
}

/** Answers with the whole document after these interim answers. */
function after(interim: string): (socket: Socket) => void {
  return (socket) => {
    socket.write(interim + head(200, [`content-length: ${pdf.length}`]));
    socket.write(pdf);
  };
}

function written(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve) => {
    socket.write(text, () => resolve());
  });
}

describe.each(transports)("a document is whole, by %s, after", (_, options) => {
  describe.each(answers)("%s", (_, answer) => {
    it.each(forms)("as %s", async (_, read) => {
      const server = await serveRaw(answer);
      expect(pdf.equals(await read(generate(clientOf(server.origin, options))))).toBe(true);
    });
  });

  it("100,000 chunks of a few bytes, in every form", async () => {
    const tiny = pdfOf(300_000);
    const frames = Buffer.concat([chunked(tiny, 3), Buffer.from(lastChunk)]);
    const server = await serveRaw((socket) => {
      socket.write(chunkedHead());
      socket.write(frames);
    });
    const client = clientOf(server.origin, options);
    for (const [form, read] of forms) {
      const got = await read(generate(client));
      expect([form, tiny.equals(got)]).toEqual([form, true]);
    }
  });

  it("one after the other that a server closed without a word", async () => {
    const server = await serveRaw((socket) => {
      socket.write(head(200, [`content-length: ${pdf.length}`]));
      socket.end(pdf);
    });
    const client = clientOf(server.origin, options);
    for (let round = 0; round < 20; round++) {
      expect(pdf.equals(await generate(client).bytes())).toBe(true);
      // The end of the connection, which was under way with the document, arrives.
      await turn();
    }
    expect(server.allSockets).toBe(20);
  });
});

describe.each(transports)("an answer nobody may give, by %s,", (transport, options) => {
  // RFC 9110, 15.2, has clients skip it; the fetch of Node, which is built on undici, hangs up.
  it("is an unasked 100 Continue: skipped, or a ConnectionError, and no wait", async () => {
    const server = await serveRaw(after(head("103 Early Hints") + head("100 Continue")));
    const client = clientOf(server.origin, options);
    for (let round = 0; round < 3; round++) {
      if (transport === "undici") expect(pdf.equals(await generate(client).bytes())).toBe(true);
      else expect(await rejectionOf(generate(client).bytes())).toBeInstanceOf(ConnectionError);
      await turn();
    }
  });

  it("is a length among the trailers: a TruncatedPdfError, though every byte came", async () => {
    const server = await serveRaw((socket) => {
      socket.write(chunkedHead());
      socket.write(chunked(pdf));
      socket.write("0\r\ncontent-length: 1\r\n\r\n");
    });
    const error = await rejectionOf(generate(clientOf(server.origin, options)).bytes());
    expect(error).toMatchObject({ code: "truncated_pdf", receivedBytes: pdf.length });
  });

  it("is two answers to one request: the first counts, and the second is nobody's", async () => {
    const other = pdfOf(2_000);
    let requests = 0;
    const server = await serveRaw((socket) => {
      requests += 1;
      const body = requests === 1 ? pdf : other;
      socket.write(head(200, [`content-length: ${body.length}`]));
      socket.write(body);
      // Unasked, in the place of the next answer: response smuggling.
      if (requests === 1) socket.write(`${head(200, ["content-length: 27"])}%PDF-1.4\nsmuggled in!\n%%EOF`);
    });
    const client = clientOf(server.origin, options);
    expect(pdf.equals(await generate(client).bytes())).toBe(true);
    await turn();
    expect(other.equals(await generate(client).bytes())).toBe(true);
  });
});
