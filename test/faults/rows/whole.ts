import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { answer, type Fault, fault, pdfHead, type Step } from "../../../src/service/faults/fault-script.ts";
import { faults } from "../../../src/testing/faults.ts";
import { drip } from "../drip.ts";
import { type Group, type Row, row } from "../row.ts";

const whole = (fault: Fault, options?: Parameters<typeof row>[3]): Row =>
  row(fault, "whole", "not needed", options);

/** What takes long to make is made once for a document. */
function once<T>(make: (document: Uint8Array) => T): (document: Uint8Array) => T {
  const made = new WeakMap<Uint8Array, { readonly value: T }>();
  return (document) => {
    const kept = made.get(document) ?? { value: make(document) };
    made.set(document, kept);
    return kept.value;
  };
}

const coded = (name: string, coding: string, encode: (document: Uint8Array) => Uint8Array): Row =>
  whole(
    fault(
      name,
      once((document) => answer(200, encode(document), { "content-encoding": coding })),
    ),
  );

/** The document in chunks of one size, each with an extension where one is given. */
function chunked(document: Uint8Array, size: number, extension = ""): Step {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < document.length; at += size) {
    const part = document.subarray(at, at + size);
    parts.push(Buffer.from(`${part.length.toString(16)}${extension}\r\n`), part, Buffer.from("\r\n"));
  }
  return { do: "write", bytes: Buffer.concat(parts) };
}

const chunkedHead = (headers: Readonly<Record<string, string>> = {}): Step => ({
  do: "head",
  status: 200,
  headers: { "transfer-encoding": "chunked", ...headers },
});

const lastChunk: Step = { do: "write", bytes: "0\r\n\r\n" };

const untilClose = (name: string, line: string): Row =>
  whole(
    fault(name, (document) => [
      { do: "write", bytes: `${line}\r\n\r\n` },
      { do: "write", bytes: document },
      { do: "end" },
    ]),
  );

export const odd: Group = {
  title: "Odd, and whole all the same",
  rows: [
    whole(faults.slow(), { timeouts: { stall: 5_000 } }),
    whole(
      fault("the head comes in crumbs", (document) => [
        ...drip(Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${document.length}\r\n\r\n`), 3, 1),
        { do: "write", bytes: document },
      ]),
    ),
    untilClose("HTTP/1.0, and the end is where the connection ends", "HTTP/1.0 200 OK"),
    untilClose("HTTP/1.1 without a length, and the end is where the connection ends", "HTTP/1.1 200 OK"),
    whole(fault("chunks", (document) => [chunkedHead(), chunked(document, 5_000), lastChunk])),
    whole(
      fault(
        "100,000 chunks of one byte",
        once((document) => [chunkedHead(), chunked(document, 1), lastChunk]),
      ),
      { heavy: true },
    ),
    whole(
      fault("chunks with extensions", (document) => [
        chunkedHead(),
        chunked(document, 9_000, ";a=b"),
        lastChunk,
      ]),
    ),
    whole(
      fault("chunks with trailers", (document) => [
        chunkedHead({ trailer: "x-checksum" }),
        chunked(document, 9_000),
        { do: "write", bytes: "0\r\nx-checksum: 1\r\n\r\n" },
      ]),
    ),
    whole(
      fault("`Connection: close`, and it is never closed", (document) => [
        pdfHead(document.length, { connection: "close" }),
        { do: "write", bytes: document },
        { do: "stall" },
      ]),
    ),
    whole(
      fault("reset when the last byte has been read", (document) => [
        pdfHead(document.length),
        { do: "write", bytes: document },
        { do: "wait", ms: 300 },
        { do: "reset" },
      ]),
    ),
    whole(
      fault("bytes behind the end of the answer", (document) => [
        pdfHead(document.length),
        { do: "write", bytes: document },
        { do: "write", bytes: "and another thing" },
      ]),
      { again: true },
    ),
    whole(
      fault("a second answer that nobody asked for", (document) => [
        pdfHead(document.length),
        { do: "write", bytes: document },
        ...answer(200, `%PDF-1.7 of somebody else\n%%EOF\n`),
      ]),
      { again: true },
    ),
    whole(
      fault("a wrong content type", (document) => answer(200, document, { "content-type": "text/html" })),
    ),
    whole(fault("another status of 2xx", (document) => answer(207, document))),
  ],
};

/** A document with something around it, which belongs to it then. */
const around = (name: string, wrap: (document: Uint8Array) => Uint8Array): Row =>
  whole(
    fault(name, (document) => answer(200, wrap(document))),
    { whole: wrap },
  );

export const padded: Group = {
  title: "Real documents look like this, too",
  rows: [
    around("1,000 bytes before the document begins", (document) =>
      Buffer.concat([Buffer.alloc(1_000, "junk "), document]),
    ),
    around("80,000 NULs behind its end", (document) => Buffer.concat([document, Buffer.alloc(80_000)])),
    around("1,000 bytes of junk behind its end", (document) =>
      Buffer.concat([document, Buffer.alloc(1_000, "junk ")]),
    ),
  ],
};

export const codings: Group = {
  title: "Codings that nobody asked for",
  rows: [
    coded("gzip", "gzip", (document) => gzipSync(document)),
    coded("deflate", "deflate", (document) => deflateSync(document)),
    coded("deflate without its wrapper", "deflate", (document) => deflateRawSync(document)),
    coded("brotli", "br", (document) => brotliCompressSync(document)),
    coded("gzip inside brotli", "gzip, br", (document) => brotliCompressSync(gzipSync(document))),
    coded("`identity`", "identity", (document) => document),
  ],
};
