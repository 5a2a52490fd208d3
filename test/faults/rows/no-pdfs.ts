import { answer, fault, pdfHead } from "../../../src/service/faults/fault-script.ts";
import { faults } from "../../../src/testing/faults.ts";
import { drip } from "../drip.ts";
import { type Group, row } from "../row.ts";

/** So many bytes in which no PDF begins. */
const junk = (length: number) => Buffer.alloc(length, "junk ");

/** Whether the `fetch` of this Node is undici 7's own, or a later one. */
const isNewerNode = Number.parseInt(process.versions.node, 10) >= 22;

export const noPdfs: Group = {
  title: "A success that is no PDF",
  rows: [
    row(faults.notAPdf(), "InvalidPdfError", "not tried"),
    row(
      fault("a JSON error with status 200", () =>
        answer(200, '{"error":"quota exceeded"}', { "content-type": "application/json" }),
      ),
      "InvalidPdfError",
      "not tried",
    ),
    row(
      fault("200 and nothing", () => answer(200, "")),
      "InvalidPdfError",
      "not tried",
    ),
    row(
      fault("200 and white space", () => answer(200, " \r\n".repeat(1_000))),
      "InvalidPdfError",
      "not tried",
    ),
    row(
      fault("204 No Content", () => [{ do: "head", status: 204, headers: {} }]),
      "InvalidPdfError",
      "not tried",
    ),
    row(
      fault("205 Reset Content", () => answer(205, "")),
      "InvalidPdfError",
      "not tried",
    ),
    row(
      fault("202 Accepted, to be fetched later", () =>
        answer(202, '{"status":"queued"}', { "content-type": "application/json", location: "/jobs/1" }),
      ),
      "InvalidPdfError",
      "not tried",
    ),
    row(
      fault("a PDF that begins 1,030 bytes into the body", (document) => [
        pdfHead(document.length + 1_030),
        { do: "write", bytes: junk(1_030) },
        { do: "write", bytes: document },
      ]),
      "InvalidPdfError",
      "not tried",
    ),
    row(
      fault("something endless that is no PDF", () => [
        pdfHead(10_000_000_000),
        ...drip(junk(10_000_000), 1_024, 1),
      ]),
      "InvalidPdfError",
      "not tried",
    ),
    row(
      fault("a coding that nobody knows", (document) =>
        answer(200, document, { "content-encoding": "compress" }),
      ),
      "InvalidPdfError",
      "not tried",
    ),
    row(
      fault("a gzip that is none", (document) => answer(200, document, { "content-encoding": "gzip" })),
      "TruncatedPdfError",
      "heals",
      {
        fetch: isNewerNode ? "TimeoutError (firstByte)" : "TruncatedPdfError",
        fetchOnPage: "TruncatedPdfError",
        note: "the `fetch` of Node 22 and later never tells: `firstByte` ends it",
      },
    ),
  ],
};
