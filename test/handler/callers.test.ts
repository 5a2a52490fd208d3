import { TruncatedPdfError, template } from "template-pdf";
import { createHandler } from "template-pdf/handler";
import { nodeListener } from "template-pdf/handler/node";
import { describe, expect, it, vi } from "vitest";
import { cutOffAfter } from "../support/service.ts";
import { callOf, handlerBefore, pdf } from "./handling.ts";
import { callBytes, exchange, path, serve, watchConsole } from "./raw-calls.ts";

const printed = watchConsole();

describe("nodeListener()", () => {
  it("closes the connection if the document is truncated, which only `onError` receives", async () => {
    const { handler, onError } = await handlerBefore(cutOffAfter(pdf, 20_000));
    const received = await exchange(await serve(nodeListener(handler)), callBytes());
    // Bytes that were not sent yet are discarded.
    expect(received.length).toBeLessThan(pdf.length);
    expect(received).not.toMatch(/0\r\n\r\n$|truncated/);
    expect(onError.mock.calls).toMatchObject([[expect.any(TruncatedPdfError), {}]]);
    expect(printed).not.toHaveBeenCalled();
  });

  it.each<[what: string, bytes: string]>([
    ["a target with credentials", callBytes({ target: `http://user:pw@x${path}` })],
    ["a target with a user name", callBytes({ target: `http://user@x${path}` })],
    ["a target with an invalid port", callBytes({ target: `http://x:99999${path}` })],
    ["a target with a backslash", callBytes({ target: path.replace("/api", "\\api") })],
    ["a target with another scheme", callBytes({ target: `ftp://x${path}` })],
    ["a template that is not UTF-8", callBytes({ target: path.replace("invoice", "%ff") })],
    ["a host that cannot be decoded", callBytes({ host: "xn--" })],
    ["a host with credentials", callBytes({ host: "user:pw@x" })],
    ["an empty host", callBytes({ host: "" })],
    ["two lengths", callBytes({ headers: "\r\ncontent-length: 3" })],
    ["a length and chunks", callBytes({ headers: "\r\ntransfer-encoding: chunked" })],
    ["an invalid chunk", callBytes({ chunks: "zz\r\n" })],
    ["an unknown expectation", callBytes({ headers: "\r\nexpect: something" })],
    ["large headers", callBytes({ headers: `\r\nx: ${"a".repeat(70_000)}` })],
    ["`OPTIONS *`", "OPTIONS * HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"],
    [
      "a preflight with credentials",
      `OPTIONS http://u:p@x${path} HTTP/1.1\r\nhost: x\r\norigin: http://y\r\naccess-control-request-method: POST\r\nconnection: close\r\n\r\n`,
    ],
    ["TRACE", callBytes().replace("POST", "TRACE")],
    ["invalid UTF-8", callBytes({ body: '{"a":"\xff"}' })],
    ["an empty body", callBytes({ body: "" })],
    [
      "values that are nested too deeply",
      callBytes({ body: `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}` }),
    ],
  ])(
    "responds to %s with a status below 500, reports nothing, and serves the next call",
    async (_, bytes) => {
      const { handler, onError } = await handlerBefore();
      const port = await serve(nodeListener(handler));
      expect(await exchange(port, bytes)).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(await exchange(port, callBytes())).toMatch(/^HTTP\/1\.1 200 /);
      expect({ reported: onError.mock.calls, printed: printed.mock.calls }).toEqual({
        reported: [],
        printed: [],
      });
    },
  );
});

it("hostile property names reach `values` as own properties, and change no prototype", async () => {
  const body =
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"a":"\\ud800\\u0000"}';
  const seen = vi.fn((_: Request, values: object) => values);
  const { client } = await handlerBefore();
  const handler = createHandler({
    client,
    templates: { invoice: template("inv") },
    authorize: () => true,
    values: seen,
  });
  expect((await handler(callOf({ body }))).status).toBe(200);
  expect(JSON.stringify(seen.mock.calls[0]?.[1])).toBe(body);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
