import { describe, expect, it } from "vitest";
import { withLength } from "../support/service.ts";
import { callOf, handlerBefore, handlerOf, pdf, problemOf, secrets, untouchedClient } from "./handling.ts";

describe("a document from a handler", () => {
  it("is sent in full, with headers that prevent caching", async () => {
    const answer = withLength(pdf, {
      "set-cookie": "session=upstream-words",
      "x-internal": "upstream-words",
      "x-request-id": "upstream-words",
      "content-disposition": 'attachment; filename="upstream-words.pdf"',
      server: "upstream-words",
      "cache-control": "public, max-age=3600",
    });
    const { handler } = await handlerBefore(answer);
    const response = await handler(callOf());
    expect(Object.fromEntries(response.headers)).toEqual({
      "cache-control": "no-store",
      "content-disposition": 'attachment; filename="invoice.pdf"',
      "content-length": String(pdf.length),
      "content-type": "application/pdf",
      "x-content-type-options": "nosniff",
      "x-request-id": expect.stringMatching(/^[\da-f-]{36}$/),
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(pdf)).toBe(true);
  });

  it("is requested from the service without the browser's headers", async () => {
    const { handler, service } = await handlerBefore();
    await handler(callOf({ headers: { cookie: "session=1", authorization: "Bearer of-the-page" } }));
    const { path, headers, body } = await service.request();
    expect(path).toBe(`/api/v1/templates/${secrets.uid}/generate-sync`);
    expect(headers.authorization).toBe(`API-Key ${secrets.key}`);
    expect(headers.cookie).toBeUndefined();
    expect(body).toBe('{"date":"today"}');
  });

  it.each([
    ["inline", undefined, 'inline; filename="invoice.pdf"'],
    ["attachment", 'a"\r\nx-evil: 1', 'attachment; filename="a___x-evil_ 1.pdf"'],
  ] as const)("has a valid `%s` disposition if `filename` returns %j", async (disposition, name, header) => {
    const { handler } = await handlerBefore(undefined, { disposition, filename: () => name });
    expect((await handler(callOf())).headers.get("content-disposition")).toBe(header);
  });

  it("is generated only if its template is listed", async () => {
    const { handler } = handlerOf({ client: untouchedClient() });
    for (const name of ["constructor", "__proto__", "Invoice"]) {
      const { kind, response } = await problemOf(await handler(callOf({ name })));
      expect({ status: response.status, kind }).toEqual({ status: 404, kind: "unknown-template" });
    }
  });
});

it.each([
  ["node:http", { url: "/", headers: {}, httpVersion: "1.1" }, "pass nodeListener(handler) of template-pdf/"],
  ["Fastify", { url: "/", headers: {}, raw: {} }, "call nodeListener(handler) of template-pdf/handler/node"],
  ["Hono", { req: { raw: callOf() } }, "pass (context) => handler(context.req.raw)"],
  ["SvelteKit", { request: callOf() }, "Pass ({ request }) => handler(request)"],
  ["a server that passes no argument", undefined, "Pass the Request object from your server"],
])("a handler rejects an invalid call from %s, and says how to fix it", async (_server, given, advice) => {
  const { handler } = handlerOf({ client: untouchedClient() });
  const rejected = handler(given as unknown as Request);
  await expect(rejected).rejects.toMatchObject({
    code: "invalid_configuration",
    message: expect.stringMatching(/^The handler was not called with a web Request\. /),
  });
  await expect(rejected).rejects.toThrow(advice);
});
