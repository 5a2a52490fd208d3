import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { answer, pdfHead } from "../../../src/service/faults/faults.ts";
import { faults } from "../../../src/testing/faults.ts";
import { group } from "../row.ts";
import { chunkedHeaders, chunks, drip, end, lastChunk, lines, type Script, stall, write } from "../steps.ts";

/** Caches the script for each document, because it takes long to create. */
function kept(script: Script): Script {
  const scripts = new WeakMap<Uint8Array, ReturnType<Script>>();
  return (document) => {
    const steps = scripts.get(document) ?? script(document);
    scripts.set(document, steps);
    return steps;
  };
}

const headOf = (length: number) => Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`);
const coded = (coding: string, encode: (document: Uint8Array) => Uint8Array): Script =>
  kept((document) => answer(200, encode(document), { "content-encoding": coding }));

/** A document with its length, and more steps after it. */
const followedBy =
  (...rest: ReturnType<Script>): Script =>
  (document) => [pdfHead(document.length), write(document), ...rest];

const untilClose =
  (line: string): Script =>
  (document) => [lines(line), write(document), end];

export const odd = group("Unusual but complete documents", "whole", "not needed", [
  [faults.slow(), { timeouts: { stall: 5_000 } }],
  [
    "headers that arrive in small pieces",
    (document) => [...drip(headOf(document.length), 3, 1), write(document)],
  ],
  ["HTTP/1.0, which ends with the connection", untilClose("HTTP/1.0 200 OK")],
  ["HTTP/1.1 without a length, which ends with the connection", untilClose("HTTP/1.1 200 OK")],
  ["chunks", (document) => [chunkedHeaders(), chunks(document, 5_000), lastChunk]],
  [
    "100,000 chunks of one byte",
    kept((document) => [chunkedHeaders(), chunks(document, 1), lastChunk]),
    { heavy: true },
  ],
  ["chunks with extensions", (document) => [chunkedHeaders(), chunks(document, 9_000, ";a=b"), lastChunk]],
  [
    "chunks with trailers",
    (document) => [chunkedHeaders(), chunks(document, 9_000), write("0\r\nx-checksum: 1\r\n\r\n")],
  ],
  [
    "`Connection: close`, but the connection stays open",
    (document) => [pdfHead(document.length, { connection: "close" }), write(document), stall],
  ],
  ["reset after the last byte", followedBy({ do: "wait", ms: 300 }, { do: "reset" })],
  ["extra bytes after the response", followedBy(write("and another thing")), { again: true }],
  [
    "a second response without a request",
    followedBy(...answer(200, "%PDF-1.7 of somebody else\n%%EOF\n")),
    { again: true },
  ],
  ["a wrong content type", (document) => answer(200, document, { "content-type": "text/html" })],
  ["another 2xx status", (document) => answer(207, document)],
]);

const junk = Buffer.alloc(1_000, "junk ");
const padding = (name: string, before: Uint8Array, after: Uint8Array) => {
  const whole = (document: Uint8Array) => Buffer.concat([before, document, after]);
  return [name, (document: Uint8Array) => answer(200, whole(document)), { whole }] as const;
};

export const padded = group("Unusual documents of real producers", "whole", "not needed", [
  padding("1,000 bytes before the document begins", junk, Buffer.of()),
  padding("80,000 NULs after its end", Buffer.of(), Buffer.alloc(80_000)),
  padding("1,000 bytes of junk after its end", Buffer.of(), junk),
]);

export const codings = group("Unrequested content codings", "whole", "not needed", [
  ["gzip", coded("gzip", gzipSync)],
  ["deflate", coded("deflate", deflateSync)],
  ["deflate without its wrapper", coded("deflate", deflateRawSync)],
  ["brotli", coded("br", brotliCompressSync)],
  ["gzip inside brotli", coded("gzip, br", (document) => brotliCompressSync(gzipSync(document)))],
  ["`identity`", coded("identity", (document) => document)],
]);
