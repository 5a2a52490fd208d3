import { gzipSync } from "node:zlib";
import { answer, type Fault, fault, pdfHead, type Step } from "../../../src/service/faults/fault-script.ts";
import { faults } from "../../../src/testing/faults.ts";
import { drip } from "../drip.ts";
import { type Group, row } from "../row.ts";

const chunkedHead: Step = { do: "head", status: 200, headers: { "transfer-encoding": "chunked" } };
const untilClose: Step = { do: "write", bytes: "HTTP/1.0 200 OK\r\n\r\n" };
const end: Step = { do: "end" };

/** The document in chunks of 10,000 bytes, without the last, empty one. */
function chunks(document: Uint8Array): Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < document.length; at += 10_000) {
    const part = document.subarray(at, at + 10_000);
    steps.push({ do: "write", bytes: `${part.length.toString(16)}\r\n` });
    steps.push({ do: "write", bytes: part }, { do: "write", bytes: "\r\n" });
  }
  return steps;
}

const half = (document: Uint8Array) => document.subarray(0, document.length >> 1);

/** Half of the document in chunks, and then something else. */
const afterHalf = (name: string, ...rest: readonly Step[]): Fault =>
  fault(name, (document) => [chunkedHead, ...chunks(half(document)), ...rest]);

const cutAt = (name: string, at: number): Fault =>
  fault(name, (document) => [
    pdfHead(document.length),
    { do: "write", bytes: document.subarray(0, at) },
    { do: "end" },
  ]);

export const stalls: Group = {
  title: "A document that stops",
  rows: [
    row(
      fault("the head comes, and never a byte of the document", (document) => [
        pdfHead(document.length),
        { do: "stall" },
      ]),
      "TimeoutError (firstByte)",
      "heals",
    ),
    row(
      fault("1,000 bytes in which no PDF begins, and then nothing", (document) => [
        pdfHead(document.length),
        { do: "write", bytes: " ".repeat(1_000) },
        { do: "stall" },
      ]),
      "TimeoutError (stall)",
      "heals",
    ),
    row(faults.stall(), "TimeoutError (stall)", "heals before hand-over"),
    row(
      fault("all but the last byte comes, and then nothing", (document) => [
        pdfHead(document.length),
        { do: "write", bytes: document.subarray(0, -1) },
        { do: "stall" },
      ]),
      "TimeoutError (stall)",
      "heals before hand-over",
    ),
    row(
      fault("all of it comes, of unknown length, and no end", (document) => [
        untilClose,
        { do: "write", bytes: document },
        { do: "stall" },
      ]),
      "TimeoutError (stall)",
      "heals before hand-over",
    ),
    row(afterHalf("chunks stop coming", { do: "stall" }), "TimeoutError (stall)", "heals before hand-over"),
    row(
      fault("it comes so slowly that it takes for ever", (document) => [
        pdfHead(document.length),
        ...drip(document, 10, 20),
      ]),
      "TimeoutError (total)",
      "not tried",
    ),
  ],
};

export const cutOffs: Group = {
  title: "A document that is cut off",
  rows: [
    row(cutAt("closed after the head", 0), "TruncatedPdfError", "heals"),
    row(cutAt("closed after three bytes", 3), "TruncatedPdfError", "heals"),
    row(faults.cutOff(), "TruncatedPdfError", "heals before hand-over"),
    row(cutAt("closed before the last byte", -1), "TruncatedPdfError", "heals before hand-over"),
    row(faults.reset({ afterBytes: 50_000 }), "TruncatedPdfError", "heals before hand-over"),
    row(
      fault("reset in the middle, and its length was not told", (document) => [
        untilClose,
        { do: "write", bytes: half(document) },
        { do: "reset" },
      ]),
      "TruncatedPdfError",
      "heals before hand-over",
    ),
    row(
      fault("closed in the middle, and its length was not told", (document) => [
        untilClose,
        { do: "write", bytes: half(document) },
        end,
      ]),
      "TruncatedPdfError",
      "heals before hand-over",
    ),
    row(
      fault("closed just before its end mark, and its length was not told", (document) => [
        untilClose,
        { do: "write", bytes: document.subarray(0, -7) },
        end,
      ]),
      "TruncatedPdfError",
      "heals before hand-over",
    ),
    row(
      fault("the length is right, and the end mark is missing", (document) =>
        answer(200, document.subarray(0, -7), { "content-type": "application/pdf" }),
      ),
      "TruncatedPdfError",
      "heals before hand-over",
    ),
    row(
      fault("more bytes than the length says, so that the end is missing", (document) => [
        pdfHead(document.length - 100),
        { do: "write", bytes: document },
      ]),
      "TruncatedPdfError",
      "heals before hand-over",
    ),
    row(
      fault("it is whole, and shorter than the length says", (document) => [
        pdfHead(document.length + 10),
        { do: "write", bytes: document },
        end,
      ]),
      "TruncatedPdfError",
      "heals before hand-over",
    ),
    row(afterHalf("chunks, closed without the last one", end), "TruncatedPdfError", "heals before hand-over"),
    row(
      fault("all of its chunks, closed without the empty one that ends them", (document) => [
        chunkedHead,
        ...chunks(document),
        end,
      ]),
      "TruncatedPdfError",
      "heals before hand-over",
    ),
    row(
      afterHalf("a chunk shorter than it says", { do: "write", bytes: "ffff\r\nshort" }, end),
      "TruncatedPdfError",
      "heals before hand-over",
    ),
    row(
      afterHalf("a chunk longer than it says", { do: "write", bytes: "5\r\nlonger\r\n0\r\n\r\n" }),
      "TruncatedPdfError",
      "heals before hand-over",
    ),
    row(
      afterHalf("a chunk whose size is no number", { do: "write", bytes: "zz\r\n\r\n" }),
      "TruncatedPdfError",
      "heals before hand-over",
    ),
    row(
      afterHalf("a chunk whose size is beyond all numbers", {
        do: "write",
        bytes: "fffffffffffffffffff\r\n",
      }),
      "TruncatedPdfError",
      "heals before hand-over",
    ),
    row(
      afterHalf("chunks that end well, too early", { do: "write", bytes: "0\r\n\r\n" }),
      "TruncatedPdfError",
      "heals before hand-over",
    ),
    row(
      fault("gzip that is cut off", (document) =>
        answer(200, gzipSync(document).subarray(0, -200), { "content-encoding": "gzip" }),
      ),
      "TruncatedPdfError",
      "heals before hand-over",
    ),
    row(
      fault("gzip without its checksum", (document) =>
        answer(200, gzipSync(document).subarray(0, -8), { "content-encoding": "gzip" }),
      ),
      "TruncatedPdfError",
      "heals before hand-over",
      { fetch: "whole", note: "`fetch` does not look for the checksum; the document itself is whole" },
    ),
    row(
      fault("gzip with a wrong checksum", (document) => {
        const packed = gzipSync(document);
        return answer(200, packed.fill(0, packed.length - 8, packed.length - 4), {
          "content-encoding": "gzip",
        });
      }),
      "TruncatedPdfError",
      "heals before hand-over",
    ),
  ],
};
