import { gzipSync } from "node:zlib";
import { answer, pdfHead, type Step } from "../../../src/service/faults/faults.ts";
import { faults } from "../../../src/testing/faults.ts";
import { group } from "../row.ts";
import {
  chunkedHeaders,
  chunks,
  drip,
  end,
  half,
  lastChunk,
  reset,
  type Script,
  stall,
  untilClose,
  write,
} from "../steps.ts";

type Part = (document: Uint8Array) => Uint8Array;
const all: Part = (document) => document;
/** The beginning of a document up to a position, as `subarray` takes it. */
const upTo =
  (at: number): Part =>
  (document) =>
    document.subarray(0, at);

/** Headers with the length of the document plus `moreBytes`, a part of the document, and more steps. */
const under =
  (part: Part, rest: readonly Step[], moreBytes = 0): Script =>
  (document) => [pdfHead(document.length + moreBytes), write(part(document)), ...rest];

/** A part of the document without a length, and more steps. */
const unmeasured =
  (part: Part, ...rest: readonly Step[]): Script =>
  (document) => [untilClose, write(part(document)), ...rest];

/** The beginning of the document, and the end of the connection. */
const cutAt = (at: number) => under(upTo(at), [end]);

/** A part of the document in chunks, and more steps. */
const inChunks =
  (part: Part, ...rest: readonly Step[]): Script =>
  (document) => [chunkedHeaders(), chunks(part(document), 10_000), ...rest];
const afterHalf = (...rest: readonly Step[]) => inChunks(half, ...rest);

const encoded =
  (coding: string, encode: (document: Uint8Array) => Uint8Array): Script =>
  (document) =>
    answer(200, encode(document), { "content-encoding": coding });
const inGzip = (change: (packed: Buffer) => Uint8Array) =>
  encoded("gzip", (document) => change(gzipSync(document)));

/** This many bytes without a PDF header. */
const junk = (length: number) => Buffer.alloc(length, "junk ");

/** Whether this is Node 22 or later, whose `fetch` does not report an invalid gzip body. */
const isNewerNode = Number.parseInt(process.versions.node, 10) >= 22;

/** Whether the tests run against the build for browsers, in which the errors of `fetch` are not explained. */
const isBrowserBuild = process.env["TEMPLATE_PDF_BUILD"] === "browser";

const json = { "content-type": "application/json" };

export const noPdfs = group("A successful response that is not a PDF", "InvalidPdfError", "not tried", [
  [faults.notAPdf()],
  [faults.decodedAsText()],
  ["a PDF in base64", (pdf) => answer(200, Buffer.from(pdf).toString("base64"))],
  ["a JSON error with status 200", () => answer(200, '{"error":"quota exceeded"}', json)],
  ["200 and nothing", () => answer(200, "")],
  ["200 and white space", () => answer(200, " \r\n".repeat(1_000))],
  ["204 No Content", () => [{ do: "head", status: 204, headers: {} }]],
  ["205 Reset Content", () => answer(205, "")],
  ["202 Accepted, to be fetched later", () => answer(202, '{"status":"queued"}', { location: "/jobs/1" })],
  ["a PDF that begins 1,030 bytes into the body", (pdf) => answer(200, Buffer.concat([junk(1_030), pdf]))],
  ["an endless body that is not a PDF", () => [pdfHead(10_000_000_000), ...drip(junk(10_000_000), 1_024, 1)]],
  ["an unknown content coding", encoded("compress", all)],
  [
    "a body that is not gzip, but declared as gzip",
    encoded("gzip", all),
    {
      fetch: isNewerNode
        ? "TimeoutError (firstByte)"
        : isBrowserBuild
          ? "TruncatedPdfError"
          : "InvalidPdfError",
      fetchOnPage: "InvalidPdfError",
      secondTryByFetch: isNewerNode || isBrowserBuild ? "heals" : "not tried",
      note: "the `fetch` of Node 22 and later does not report it: `firstByte` ends it. Browsers do not say what failed: `TruncatedPdfError`",
    },
  ],
]);

export const stalls = group("A document that stalls", "TimeoutError (stall)", "heals before hand-over", [
  [
    "headers, but no byte of the document",
    (document) => [pdfHead(document.length), stall],
    { gets: "TimeoutError (firstByte)", secondTry: "heals" },
  ],
  [
    "1,000 bytes without a PDF header, and then nothing",
    under(() => Buffer.alloc(1_000, " "), [stall]),
    { secondTry: "heals" },
  ],
  [faults.stall()],
  ["all but the last byte, and then nothing", under(upTo(-1), [stall])],
  ["all bytes of a document of unknown length, without an end", unmeasured(all, stall)],
  ["chunks stop arriving", afterHalf(stall)],
  [
    "a document that arrives too slowly",
    (document) => [pdfHead(document.length), ...drip(document, 10, 20)],
    { gets: "TimeoutError (total)", secondTry: "not tried" },
  ],
]);

export const cutOffs = group("A truncated document", "TruncatedPdfError", "heals before hand-over", [
  ["closed after the headers", cutAt(0), { secondTry: "heals" }],
  ["closed after three bytes", cutAt(3), { secondTry: "heals" }],
  [faults.cutOff()],
  ["closed before the last byte", cutAt(-1)],
  [faults.reset({ afterBytes: 50_000 })],
  ["reset in the middle, of unknown length", unmeasured(half, reset)],
  ["closed in the middle, of unknown length", unmeasured(half, end)],
  ["closed just before the end marker, of unknown length", unmeasured(upTo(-7), end)],
  ["the right length, but no end marker", (document) => answer(200, upTo(-7)(document))],
  ["more bytes than announced, so that the end is missing", under(all, [], -100)],
  ["a complete document, shorter than announced", under(all, [end], 10)],
  ["chunks without the last ones", afterHalf(end)],
  ["all chunks, without the empty last one", inChunks(all, end)],
  ["a chunk shorter than its size", afterHalf(write("ffff\r\nshort"), end)],
  ["a chunk longer than its size", afterHalf(write("5\r\nlonger\r\n0\r\n\r\n"))],
  ["a chunk whose size is not a number", afterHalf(write("zz\r\n\r\n"))],
  ["a chunk whose size is too large", afterHalf(write("fffffffffffffffffff\r\n"))],
  ["chunks that end normally, but too early", afterHalf(lastChunk)],
  ["truncated gzip", inGzip((packed) => packed.subarray(0, -200))],
  [
    "gzip without its checksum",
    inGzip((packed) => packed.subarray(0, -8)),
    { fetch: "whole", note: "`fetch` does not check the checksum; the document is complete" },
  ],
  ["gzip with a wrong checksum", inGzip((packed) => packed.fill(0, packed.length - 8, packed.length - 4))],
]);
