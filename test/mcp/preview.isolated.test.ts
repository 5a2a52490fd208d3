import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fakePdf } from "../../src/testing/fake-pdf.ts";
import { pdfOf, Service, withLength } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { documentsFor } from "./connect.ts";

/** Generates a document with its preview. */
async function previewOf(pdf: Uint8Array) {
  const service = await Service.start(withLength(Buffer.from(pdf)));
  const documents = documentsFor(service, join(temporaryFolder(), "pdfs"), { hasPreview: true });
  return documents.generate("a", {}, { signal: new AbortController().signal, report() {} });
}

// pdf.js changes globals of its process.
describe("the preview of a document", () => {
  it("is a picture of its first page", async () => {
    const { pages, png, warnings } = await previewOf(fakePdf({ pages: 2, text: "Invoice" }));
    expect([pages, warnings]).toEqual([2, []]);
    expect(png?.subarray(0, 8).toString("latin1")).toBe("\x89PNG\r\n\x1a\n");
  });

  it("is replaced by a warning if pdf.js cannot render the document", async () => {
    const { png, warnings } = await previewOf(pdfOf(2_000));
    expect(png).toBeUndefined();
    expect(warnings).toEqual([expect.stringMatching(/^There is no preview, because pdf\.js cannot render/)]);
  });
});
