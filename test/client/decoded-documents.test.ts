import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { InvalidPdfError, TruncatedPdfError } from "template-pdf";
import { describe, expect, it } from "vitest";
import { renderPdf } from "../support/render-pdf.ts";
import { type Answer, inChunks, rejectionOf, Service, withLength } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { generate, outputMethods } from "./output-methods.ts";

const pdf = Buffer.from(await renderPdf({ content: ["Invoice", "Total ".repeat(5_000)] }));
const throughUtf8 = Buffer.from(pdf.toString());

describe("A document that was decoded as text on its way", () => {
  it.each<[string, Answer]>([
    ["UTF-8, with a length", withLength(throughUtf8)],
    ["UTF-8, in chunks", inChunks(throughUtf8)],
    ["UTF-8, with its comment split", inTwo(throughUtf8, 12)],
    ["Latin-1", withLength(Buffer.from(pdf.toString("latin1")))],
    ["Windows-1252", withLength(Buffer.from(new TextDecoder("windows-1252").decode(pdf)))],
    ["UTF-8, in a JSON string", withLength(Buffer.from(JSON.stringify(pdf.toString())))],
  ])("causes an InvalidPdfError after one request: %s", async (_, answer) => {
    const service = await Service.start(answer);
    const error = await rejectionOf(generate(service.client()).bytes());
    expect(error).toBeInstanceOf(InvalidPdfError);
    expect((error as InvalidPdfError).message).toContain("was decoded as text on its way");
    expect((error as InvalidPdfError).attempts).toBe(1);
  });

  it.each(outputMethods)("fails every output method: %s", async (_, read) => {
    const service = await Service.start(withLength(throughUtf8));
    expect(await rejectionOf(read(generate(service.client())))).toBeInstanceOf(InvalidPdfError);
  });

  it("rejects the pending result, so that a server can still respond with an error", async () => {
    const service = await Service.start(withLength(throughUtf8));
    expect(await rejectionOf(generate(service.client()))).toBeInstanceOf(InvalidPdfError);
  });

  it("is not saved", async () => {
    const folder = temporaryFolder();
    const service = await Service.start(withLength(throughUtf8));
    const saving = generate(service.client()).saveTo(join(folder, "invoice.pdf"));
    expect(await rejectionOf(saving)).toBeInstanceOf(InvalidPdfError);
    expect(await readdir(folder)).toEqual([]);
  });

  const start = "%PDF-1.7\n1 0 obj\n<< >>\nstream\n";
  const late = Buffer.from(`${start}\ufffd\ufffd\n%%EOF\n`);
  const lateAndLong = Buffer.from(`${start}\ufffd\ufffd${"x".repeat(5_000)}`);
  it.each([
    ["at its end if it is short", inTwo(late, start.length)],
    ["while it arrives if it is long", inTwo(lateAndLong, start.length, "stays open")],
  ])("fails a stream that was returned before the first sign of it: %s", async (_, answer) => {
    const service = await Service.start(answer);
    const reading = (async () => {
      for await (const chunk of generate(service.client())) expect(chunk.length).toBeGreaterThan(0);
    })();
    expect(await rejectionOf(reading)).toBeInstanceOf(InvalidPdfError);
  });
});

describe("A response without a length that ends too early", () => {
  const start = "%PDF-1.7\n%\x80\x80\x80\x80\n8 0 obj\n<< >>\nstream\nend\n%%EndResource\n%%EOF\n";
  const document = Buffer.from(
    `${start}endstream\nendobj\n12 0 obj\n<< >>\nendobj\nstartxref\n1\n%%EOF\n`,
    "latin1",
  );

  it.each([0, 4, 20])("causes a TruncatedPdfError %d bytes after an inner end marker", async (after) => {
    const service = await Service.start(inChunks(document.subarray(0, start.length + after)));
    const error = await rejectionOf(generate(service.client({ retry: false })).bytes());
    expect(error).toBeInstanceOf(TruncatedPdfError);
  });

  it("returns the document if it is complete", async () => {
    const service = await Service.start(inChunks(document));
    expect(await generate(service.client()).bytes()).toHaveLength(document.length);
  });
});

/** Sends a body in two packets. */
function inTwo(body: Buffer, first: number, then: "ends" | "stays open" = "ends"): Answer {
  return ({ response }) => {
    response.writeHead(200, { "content-type": "application/pdf" });
    const rest = body.subarray(first);
    const sendRest = () => (then === "ends" ? response.end(rest) : response.write(rest));
    response.write(body.subarray(0, first), () => setTimeout(sendRest, 20));
  };
}
