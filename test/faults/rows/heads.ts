import { answer, type Fault, fault, pdfHead, type Step } from "../../../src/service/faults/fault-script.ts";
import { earlyFault } from "../../support/faults/early-fault.ts";
import { type Group, row } from "../row.ts";

const lines = (...all: readonly string[]): Step => ({ do: "write", bytes: [...all, "", ""].join("\r\n") });

/** A head of lines as they are given, and the document. */
function under(name: string, head: (length: number) => readonly string[]): Fault {
  return fault(name, (document) => [lines(...head(document.length)), { do: "write", bytes: document }]);
}

/** Something before an answer that is right in itself. */
function after(name: string, ...before: readonly string[]): Fault {
  return fault(name, (document) => [
    lines(...before),
    pdfHead(document.length),
    { do: "write", bytes: document },
  ]);
}

export const heads: Group = {
  title: "A head that is wrong",
  rows: [
    row(
      under("a header line without a colon", (length) => [
        "HTTP/1.1 200 OK",
        "this is no header",
        `content-length: ${length}`,
      ]),
      "ConnectionError",
      "heals",
    ),
    row(
      under("a NUL in a header", (length) => [
        "HTTP/1.1 200 OK",
        "x-note: a\0b",
        `content-length: ${length}`,
      ]),
      "ConnectionError",
      "heals",
    ),
    row(
      under("100 kB of headers", (length) => [
        "HTTP/1.1 200 OK",
        ...Array.from({ length: 100 }, (_, index) => `x-${index}: ${"x".repeat(1_000)}`),
        `content-length: ${length}`,
      ]),
      "ConnectionError",
      "heals",
    ),
    row(
      under("an interim answer with 100 kB of headers", () => [
        "HTTP/1.1 103 Early Hints",
        ...Array.from({ length: 100 }, (_, index) => `x-${index}: ${"x".repeat(1_000)}`),
      ]),
      "ConnectionError",
      "heals",
    ),
    row(
      under("a length that is no number", () => ["HTTP/1.1 200 OK", "content-length: many"]),
      "ConnectionError",
      "heals",
    ),
    row(
      under("a length below zero", () => ["HTTP/1.1 200 OK", "content-length: -1"]),
      "ConnectionError",
      "heals",
    ),
    row(
      under("two lengths that differ", (length) => [
        "HTTP/1.1 200 OK",
        `content-length: ${length}`,
        `content-length: ${length - 1}`,
      ]),
      "ConnectionError",
      "heals",
    ),
    row(
      under("a length, and chunks as well", (length) => [
        "HTTP/1.1 200 OK",
        `content-length: ${length}`,
        "transfer-encoding: chunked",
      ]),
      "ConnectionError",
      "heals",
    ),
    row(
      under("a version of HTTP that does not exist", (length) => [
        "HTTP/7.3 200 OK",
        `content-length: ${length}`,
      ]),
      "ConnectionError",
      "heals",
    ),
  ],
};

export const interim: Group = {
  title: "Something before the answer",
  rows: [
    row(after("102 Processing", "HTTP/1.1 102 Processing"), "whole", "not needed"),
    row(
      after(
        "103 Early Hints, twice",
        "HTTP/1.1 103 Early Hints",
        "link: </a>",
        "",
        "HTTP/1.1 103 Early Hints",
      ),
      "whole",
      "not needed",
    ),
    row(after("100 Continue, which nobody asked for", "HTTP/1.1 100 Continue"), "whole", "not needed", {
      fetch: "ConnectionError",
      secondTryByFetch: "heals",
      note: "the undici inside `fetch` breaks off here",
    }),
    row(
      after(
        "101 Switching Protocols",
        "HTTP/1.1 101 Switching Protocols",
        "upgrade: h2c",
        "connection: upgrade",
      ),
      "ConnectionError",
      "heals",
    ),
    row(
      earlyFault(
        "an answer before the request has come",
        (document) => [pdfHead(document.length), { do: "write", bytes: document }],
        "connection",
      ),
      "whole",
      "not needed",
    ),
    row(
      earlyFault(
        "413 while the request is coming, which is read to its end",
        () => [...answer(413, '{"title":"Too large"}', { connection: "close" }), { do: "end" }],
        "head",
      ),
      "ApiError 413",
      "not tried",
      { largeRequest: true },
    ),
  ],
};
