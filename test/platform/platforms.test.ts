import fc from "fast-check";
import { ConfigurationError, type HeadersInput } from "template-pdf";
import { describe, expect, it, vi } from "vitest";
import { apiError } from "../../src/call/api-error.ts";
import { platform as browser } from "../../src/platform/browser.ts";
import { platform as denoAndBun } from "../../src/platform/deno-and-bun.ts";
import { platform as node } from "../../src/platform/node.ts";
import type { Platform } from "../../src/platform/platform.ts";
import { platform as web } from "../../src/platform/web.ts";
import { checkApiKey } from "../../src/request/api-key.ts";
import { parseBaseUrl } from "../../src/request/endpoint.ts";
import { readHeaders } from "../../src/request/headers.ts";
import { headOf, requestWith } from "../support/facts.ts";
import { anyCharacter, property } from "../support/fuzz.ts";
import { pdfOf } from "../support/service.ts";
import { Wire } from "../support/wire.ts";

const platforms = Object.entries({ node, "Deno and Bun": denoAndBun, web, browser });

const address = {
  endpoint: { origin: "https://pdf.example.com", pathBeforeUid: "/api/v1/templates/", basePath: "/" },
  needsPage: false,
};

describe.each<[string, Platform]>(platforms)("The platform %s", (_name, platform) => {
  it("sends requests with the caller's `fetch`, in a pool that can be closed", async () => {
    const fetch = vi.fn(async () => new Response(new Uint8Array(pdfOf(100))));
    const pool = platform.openPool();
    const transport = pool.current({ fetch });
    expect(transport.name).toBe("fetch");
    await new Promise<void>((resolve, reject) => {
      const receiver = { onSent() {}, onHead() {}, onChunk() {}, onEnd: resolve, onFailure: reject };
      const request = { origin: "https://pdf.example.com", path: "/x", headers: [], json: "{}" };
      transport.open(request, receiver).send();
    });
    expect(fetch).toHaveBeenCalledWith("https://pdf.example.com/x", expect.anything());
    await pool.close();
  });

  it("runs code in a context that it has captured, if it captures one", () => {
    const run = vi.fn();
    platform.openPool().captureContext()?.runInAsyncScope(run, undefined, 7);
    expect(run.mock.calls).toEqual(platform === node ? [[7]] : []);
  });

  it("accepts options without a dispatcher, and rejects a dispatcher that it cannot use", () => {
    expect(() => platform.checkTransport(address)).not.toThrow();
    const dispatcher = { dispatch: () => true, interceptors: {} };
    expect(() => platform.checkTransport({ ...address, dispatcher })).toThrow(ConfigurationError);
  });

  it("converts bytes to a Buffer, or names an alternative", () => {
    const toBuffer = () => platform.nodeOutputs.toBuffer(new Uint8Array([1, 2]));
    if (platform === node || platform === denoAndBun) expect(toBuffer()).toEqual(Buffer.from([1, 2]));
    else expect(toBuffer).toThrow("buffer() needs Node, Deno or Bun. Use bytes() or arrayBuffer().");
  });

  it("opens a Node stream, or names an alternative", () => {
    const toReadable = () => platform.nodeOutputs.toReadable(new Wire().body);
    if (platform === node || platform === denoAndBun) expect(toReadable().readable).toBe(true);
    else expect(toReadable).toThrow("nodeStream() needs Node, Deno or Bun. Use stream() or bytes().");
  });

  it("rejects a path that it cannot save to, without throwing", async () => {
    const checked = platform.nodeOutputs.checkPath("/", undefined, 0);
    await expect(checked).rejects.toMatchObject({
      name: expect.stringMatching(/^(?:Save|Configuration)Error$/),
    });
  });

  it.each(["https://pdf.example.com", "http://127.0.0.1:4010/prefix", "https://example.com/api/v1"])(
    "accepts the base URL %s",
    (text) => expect(parseBaseUrl(text, platform.advice).href).toBe(new URL(text).href),
  );

  it.each([
    "",
    "pdf.example.com",
    "ftp://pdf.example.com",
    "https://ada:secret@pdf.example.com",
    "https://pdf.example.com/?a=b",
    "https://pdf.example.com/#a",
    "https://pdf.example.com/api/v1/templates/inv_2024/generate-sync",
  ])("rejects the base URL %j", (text) => {
    expect(() => parseBaseUrl(text, platform.advice)).toThrow(ConfigurationError);
  });

  property("accepts an API key only if a header can carry it, and never quotes a key that it rejects", () =>
    fc.property(fc.oneof(fc.string(), fc.string({ unit: anyCharacter })), (text) => {
      const key = `CANARY${text}`;
      let message = "";
      try {
        expect(checkApiKey(key, platform.advice)).toMatch(/^[!-~]+$/);
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigurationError);
        message = String(error);
      }
      expect(message).not.toContain("CANARY");
      expect(message !== "").toBe(!/^[!-~]+$/.test(key));
    }),
  );

  it.each<[string, unknown]>([
    ["a string", "x-tenant: CANARY"],
    ["a list of three strings", [["x-tenant", "CANARY", "CANARY"]]],
    ["a name with a space", { "x tenant": "CANARY" }],
    ["a value with a line break", { "x-tenant": "CANARY\r\nx: y" }],
    ["a value that is not a string", { "x-tenant": { key: "CANARY" } }],
    ["a header that the client sets", { "Content-Type": "text/CANARY" }],
    ["`authorization` in addition to an API key", { authorization: "CANARY" }],
  ])("rejects headers without quoting them: %s", (_, given) => {
    const read = () => readHeaders(given as HeadersInput, false, true, platform.advice);
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(/^(?!.*CANARY).*header/s);
  });

  it("reports an error response with its status, and advises what to do only where that costs no page", () => {
    const at = 'Got 404 from https://pdf.example.com for template "inv \\"7\\"", saying "no template"';
    const sent = requestWith(undefined, [], platform.advice ?? null);
    const { code, message } = apiError(headOf(404), '{"message":"no template"}', sent, " Tried 3 times.");
    expect(code).toBe("not_found");
    expect(message).toContain(`${at}.`);
    expect(message.endsWith(" Tried 3 times.")).toBe(true);
    expect(message.includes("Check the uid and `baseUrl`")).toBe(platform !== browser);
  });
});

it("only browsers have no advice", () => {
  const without = platforms.filter(([, { advice }]) => advice === undefined);
  expect(without.map(([name]) => name)).toEqual(["browser"]);
});
