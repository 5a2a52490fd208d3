import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { inChunks, pdfOf, Service, untilClose, withLength } from "../support/service.ts";
import { generate } from "./every-form.ts";

const pdf = pdfOf(2_000);

describe("a document", () => {
  const answered = async (headers: Record<string, string>) => {
    const service = await Service.start(withLength(pdf, headers));
    return generate(service.client());
  };

  it("has the status, the headers, the length and the number of attempts", async () => {
    const service = await Service.start(({ response }) => {
      const cookies = { "set-cookie": ["a=1", "b=2"] };
      response.writeHead(201, { "content-length": pdf.length, "x-pages": "3", ...cookies });
      response.end(pdf);
    });
    const document = await generate(service.client());
    expect(document.status).toBe(201);
    expect(document.contentLength).toBe(pdf.length);
    expect(document.attempts).toBe(1);
    expect(document.headers).toBeInstanceOf(Headers);
    expect(document.headers.get("x-pages")).toBe("3");
    expect(document.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(document.headers).toBe(document.headers);
    expect(document.requestId).toBeUndefined();
    expect(document.filename).toBeUndefined();
  });

  it("has the request id and a safe file name", async () => {
    const disposition = "attachment; filename*=UTF-8''..%2F..%2F%C2%A3%20rates.pdf; filename=a.pdf";
    const document = await answered({ "request-id": "r-7", "content-disposition": disposition });
    expect([document.requestId, document.filename]).toEqual(["r-7", "£ rates.pdf"]);
  });

  it.each([
    ["chunks", inChunks(pdf)],
    ["the end of the connection", untilClose(pdf)],
    ["gzip", withLength(gzipSync(pdf), { "content-encoding": "gzip" })],
  ])("has no contentLength if the response is framed by %s", async (_, answer) => {
    const service = await Service.start(answer);
    const document = await generate(service.client());
    expect(document.contentLength).toBeUndefined();
    expect(document.response().headers.get("content-length")).toBeNull();
  });
});

describe("response()", () => {
  const serve = () => Service.start(withLength(pdf, { "x-internal": "secret", "set-cookie": "a=1" }));

  it("has status 200, the type application/pdf, the length, and no other headers of the service", async () => {
    const service = await serve();
    const response = await generate(service.client()).response();
    expect(response).toBeInstanceOf(Response);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toEqual({
      "content-type": "application/pdf",
      "content-length": String(pdf.length),
    });
    expect(pdf.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
  });

  it("uses the caller's status and headers", async () => {
    const service = await serve();
    const headers = { "content-disposition": "attachment", "content-type": "application/octet-stream" };
    for (const given of [headers, Object.entries(headers)] as const) {
      const init = Object.freeze({ status: 202, statusText: "Made", headers: given });
      const response = await generate(service.client()).response(init);
      expect([response.status, response.statusText]).toEqual([202, "Made"]);
      expect(Object.fromEntries(response.headers)).toEqual({
        ...headers,
        "content-length": String(pdf.length),
      });
      expect((await response.arrayBuffer()).byteLength).toBe(2_000);
    }
  });

  it.each([
    ["a status that has no body", { status: 204 }],
    ["a status that does not exist", { status: 99 }],
    ["a header that cannot be sent", { headers: { "x-a": "b\r\nc: d" } }],
    ["a status text that cannot be sent", { statusText: "a\nb" }],
  ] as [string, ResponseInit][])("refuses %s before the document is used up", async (_, init) => {
    const service = await serve();
    const document = await generate(service.client());
    expect(() => document.response(init)).toThrow();
    expect(pdf.equals(await document.bytes())).toBe(true);
  });
});

it("blob() has the type application/pdf, whatever the content-type of the response", async () => {
  const service = await Service.start(withLength(pdf, { "content-type": "text/plain" }));
  const blob = await generate(service.client()).blob();
  expect([blob.type, blob.size]).toEqual(["application/pdf", 2_000]);
});
