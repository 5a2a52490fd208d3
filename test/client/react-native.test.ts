import { type FetchLike, TemplatePdf } from "template-pdf";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { platform } from "../../src/platform/web.ts";
import { parseBaseUrl } from "../../src/request/endpoint.ts";
import { pdfOf, rejectionOf } from "../support/service.ts";

/** What React Native lacks. test/runtimes/react-native.test.ts runs the client in its engine. */

const pdf = pdfOf(1_000);

/** Answers as the `fetch` of React Native does. */
function answer(status: number, body: Uint8Array, headers: Record<string, string> = {}, url?: string) {
  const arrayBuffer = async () => Uint8Array.from(body).buffer;
  return { status, headers: new Headers(headers), url, arrayBuffer };
}

function clientOf(fetch: (url: string, init: { readonly signal: AbortSignal }) => unknown): TemplatePdf {
  return new TemplatePdf({ baseUrl: "https://pdf.example.com", apiKey: "key", fetch: fetch as FetchLike });
}

const pending = () => clientOf(() => answer(200, pdf)).generate("invoice", {});
const endless = (options: object = {}) =>
  clientOf(
    (_url, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", reject)),
  ).generate("invoice", {}, options);

class UrlOfReactNative extends URL {
  static override readonly canParse: never;
}

beforeEach(() => {
  for (const name of ["ReadableStream", "DOMException", "TextDecoder"]) vi.stubGlobal(name, undefined);
  vi.stubGlobal("URL", UrlOfReactNative);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

describe("in React Native, the client", () => {
  it("checks a base URL without URL.canParse", () => {
    expect(parseBaseUrl("https://pdf.example.com/prefix", platform.advice).pathname).toBe("/prefix");
    expect(() => parseBaseUrl("https://", platform.advice)).toThrow(/The base URL is not an absolute URL/);
  });

  it("creates a plain promise if its promises create the result of `then` with the constructor of a pending result", async () => {
    const PromiseOfDocument = pending().constructor as PromiseConstructor;
    const result = new PromiseOfDocument((resolve) => resolve(7));
    expect(Object.getPrototypeOf(result)).toBe(Promise.prototype);
    expect(await result).toBe(7);
  });

  it("decodes escapes in a message and in a file name without TextDecoder", async () => {
    const message = new TextEncoder().encode('{"message":"no template caf%C3%A9"}');
    const error = await rejectionOf(clientOf(() => answer(404, message)).generate("invoice", {}));
    expect(error).toMatchObject({
      name: "NotFoundError",
      message: expect.stringContaining('"no template café"'),
    });
    const named = { "content-disposition": "attachment; filename*=UTF-8''r%C3%A9sum%C3%A9.pdf" };
    const document = await clientOf(() => answer(200, pdf, named)).generate("invoice", {});
    expect(document.filename).toBe("résumé.pdf");
  });

  it("keeps the ASCII characters of a message that is not UTF-8", async () => {
    const message = Buffer.from('{"message":"no caf\xe9"}', "latin1");
    const error = await rejectionOf(clientOf(() => answer(404, message)).generate("invoice", {}));
    expect(error).toMatchObject({ rawBody: '{"message":"no caf\ufffd"}' });
  });

  it.each(["stream", "response"] as const)("rejects %s() with a ConfigurationError", async (output) => {
    // The one of Node needs streams.
    vi.stubGlobal("Response", class {});
    const error = await rejectionOf(pending()[output]());
    expect(error).toMatchObject({
      name: "ConfigurationError",
      message: `${output}() needs \`ReadableStream\`, which this runtime does not have. Use bytes().`,
    });
  });

  it("rejects iteration with a ConfigurationError", async () => {
    const error = await rejectionOf(pending()[Symbol.asyncIterator]().next());
    expect(error).toMatchObject({
      name: "ConfigurationError",
      message: expect.stringMatching(/^iteration needs/),
    });
  });

  it("rejects blob() with a ConfigurationError if a Blob cannot contain bytes", async () => {
    const cause = new Error("Creating blobs from 'ArrayBuffer' and 'ArrayBufferView' are not supported");
    vi.stubGlobal("Blob", function refuse() {
      throw cause;
    });
    const error = await rejectionOf(pending().blob());
    expect(error).toMatchObject({
      name: "ConfigurationError",
      cause,
      message: expect.stringMatching(/^blob\(\) needs/),
    });
  });

  it("rejects a cancelled call with an AbortError without DOMException", async () => {
    const cancelled = endless();
    const bytes = cancelled.bytes();
    await cancelled.cancel();
    expect(await rejectionOf(bytes)).toMatchObject({
      name: "AbortError",
      message: "The document was cancelled.",
    });
  });

  it.each(["before", "during"])(
    "rejects a call with an AbortError if its signal has no reason and is aborted %s it",
    async (when) => {
      const controller = new AbortController();
      Object.defineProperty(controller.signal, "reason", { value: undefined });
      if (when === "before") controller.abort();
      const bytes = endless({ signal: controller.signal }).bytes();
      setTimeout(() => controller.abort(), 1);
      expect(await rejectionOf(bytes)).toMatchObject({ name: "AbortError" });
    },
  );

  it.each([
    ["in another spelling", "https://PDF.example.com:443/f%C3%BCr", "https://pdf.example.com/f%C3%BCr", true],
    ["with another host", "https://pdf.example.com", "https://pdf.example.org", false],
    ["with another port", "https://pdf.example.com", "https://pdf.example.com:8443", false],
    ["with another scheme", "https://pdf.example.com:443", "http://pdf.example.com:443", false],
  ])("accepts a response from its own address only: %s", async (_, requested, responded, isOwn) => {
    const path = "/api/v1/templates/invoice/generate-sync";
    const pdfs = clientOf(() => answer(200, pdf, {}, responded + path)).with({
      baseUrl: baseUrlOf(requested),
    });
    const bytes = pdfs.generate("invoice", {}).bytes();
    if (isOwn) expect(await bytes).toHaveLength(pdf.length);
    else expect(await rejectionOf(bytes)).toMatchObject({ name: "ApiError", status: 0 });
  });

  it("does not send the indexes of its headers, as whatwg-fetch does for an array", async () => {
    vi.stubGlobal(
      "Headers",
      class extends Headers {
        readonly map = {};
      },
    );
    const sent: unknown[] = [];
    const pdfs = clientOf((_url, init) => {
      sent.push(...Object.getOwnPropertyNames((init as { headers?: object }).headers));
      return answer(200, pdf);
    });
    await pdfs.generate("invoice", {}).bytes();
    expect(sent).toEqual(["map"]);
  });
});

/** The `URL` of React Native does not normalize. */
function baseUrlOf(text: string): string {
  const [, origin = "", pathname = ""] = /^(https?:\/\/[^/]+)(.*)/.exec(text) ?? [];
  vi.stubGlobal(
    "URL",
    class extends UrlOfReactNative {
      override readonly origin = origin;
      override readonly pathname = decodeURI(pathname) || "/";
    },
  );
  return text;
}
