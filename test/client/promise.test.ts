import { ConfigurationError, ValuesError } from "template-pdf";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { GeneratedPdf } from "../../src/document/generated-pdf.ts";
import { pdfOf, rejectionOf, Service, saying, turns, withLength } from "../support/service.ts";
import { generate, outputMethods } from "./every-form.ts";

const pdf = pdfOf(2_000);
const serve = () => Service.start(withLength(pdf, { "x-request-id": "r-1" }));

describe("generate()", () => {
  it("sends the request of the spec without an await", async () => {
    const service = await serve();
    const pending = service.client().generate("inv/2024 ü", { total: "£1,000,000", none: undefined });
    const { path, headers, body } = await service.request();
    expect(path).toBe("/api/v1/templates/inv%2F2024%20%C3%BC/generate-sync");
    expect(headers.authorization).toBe("API-Key key-of-the-tests");
    expect(headers["content-type"]).toBe("application/json");
    expect(body).toBe('{"total":"£1,000,000"}');
    await (await pending).cancel();
  });

  it("rejects every output and the promise itself with the same error", async () => {
    const service = await Service.start(saying(404));
    const pending = generate(service.client());
    const early = outputMethods.map(([, read]) => rejectionOf(read(pending)));
    const error = await rejectionOf(pending);
    expect(error).toMatchObject({ code: "not_found" });
    for (const other of await Promise.all(early)) expect(other).toBe(error);
    for (const [, read] of outputMethods) expect(await rejectionOf(read(pending))).toBe(error);
  });

  it("returns or throws the result of a mocked output method", async () => {
    const client = (await serve()).client();
    const mocked = vi.spyOn(GeneratedPdf.prototype, "bytes");
    onTestFinished(() => mocked.mockRestore());
    mocked.mockReturnValueOnce("mocked" as never);
    expect(await generate(client).bytes()).toBe("mocked");
    const failure = new Error("mocked");
    mocked.mockImplementationOnce(() => {
      throw failure;
    });
    expect(await rejectionOf(generate(client).bytes())).toBe(failure);
  });

  it("returns both an output and the document if both are used", async () => {
    const pending = generate((await serve()).client());
    const bytes = pending.bytes();
    const document = await pending;
    expect(document.requestId).toBe("r-1");
    expect(pdf.equals(await bytes)).toBe(true);
    expect(await rejectionOf(document.blob())).toBeInstanceOf(TypeError);
  });

  it("returns an output that is called long after the document arrived", async () => {
    const pending = generate((await serve()).client());
    await pending;
    await turns(10);
    expect(pdf.equals(await pending.bytes())).toBe(true);
  });
});

describe("a pending result", () => {
  it("works as a promise in Promise.all, race and resolve", async () => {
    const pending = generate((await serve()).client());
    expect(pending).toBeInstanceOf(Promise);
    expect(Object.prototype.toString.call(pending)).toBe("[object Promise]");
    const document = await pending;
    expect((await Promise.all([pending]))[0]).toBe(document);
    expect(await Promise.race([pending])).toBe(document);
    expect(await Promise.resolve(pending)).toBe(document);
  });

  it("returns plain promises from then, catch and finally", async () => {
    const pending = generate((await serve()).client());
    const children = [pending.then(), pending.catch(() => {}), pending.finally(() => {})];
    for (const child of children) {
      expect(Object.getPrototypeOf(child)).toBe(Promise.prototype);
      expect(child).not.toHaveProperty("bytes");
    }
    const Constructor = pending.constructor as typeof Promise;
    expect(Constructor[Symbol.species]).toBe(Promise);
    expect(() => Constructor.resolve(1)).toThrow(/Only `generate` can create a PendingPdf/);
    expect(await Promise.all(children)).toHaveLength(3);
  });

  it("loses its output methods if an async function returns it", async () => {
    const client = (await serve()).client();
    const returned = (async () => generate(client))();
    expect(returned).not.toHaveProperty("bytes");
    expect(pdf.equals(await (await returned).bytes())).toBe(true);
  });
});

const values = { total: "1" };

it.each([
  ["an invalid uid", ["..", values], ConfigurationError],
  ["a missing uid", [undefined, values], ConfigurationError],
  ["an object that is not a template", [{}, values], ConfigurationError],
  ["missing values", ["uid"], ValuesError],
  ["values that JSON cannot represent", ["uid", { total: 1n }], ValuesError],
  ["null for options", ["uid", values, null], ConfigurationError],
  ["a signal for options", ["uid", values, AbortSignal.abort()], ConfigurationError],
  ["an unknown option", ["uid", values, { sgnal: undefined }], ConfigurationError],
  ["something that is not a signal", ["uid", values, { signal: {} }], ConfigurationError],
  ["a header with a line break", ["uid", values, { headers: { a: "b\r\nc: d" } }], ConfigurationError],
  ["a custom authorization header", ["uid", values, { headers: { Authorization: "x" } }], ConfigurationError],
  ["timeouts that are not an object", ["uid", values, { timeouts: null }], ConfigurationError],
  ["retry as a number", ["uid", values, { retry: 3 }], ConfigurationError],
  ["onProgress that is not a function", ["uid", values, { onProgress: {} }], ConfigurationError],
  ["maxBytes: 0", ["uid", values, { maxBytes: 0 }], ConfigurationError],
  ["verify as a string", ["uid", values, { verify: "yes" }], ConfigurationError],
])("generate() rejects instead of throwing, without a request, for %s", async (_, given, ErrorClass) => {
  const service = await serve();
  const client = service.client();
  const pending = client.generate(...(given as Parameters<typeof client.generate>));
  const error = await rejectionOf(pending);
  expect(error).toBeInstanceOf(ErrorClass);
  expect(error).toMatchObject({ attempts: 0 });
  await client.generate("uid", values).bytes();
  expect(service.requests).toHaveLength(1);
});
