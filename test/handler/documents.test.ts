import { describe, expect, it } from "vitest";
import { inChunks, withLength } from "../support/service.ts";
import { callOf, handlerBefore, pdf, problemOf, secrets } from "./handling.ts";

describe("a document of a handler", () => {
  it("comes whole, with its length, its name and headers that keep it from caches", async () => {
    const { handler } = await handlerBefore();
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

  it("comes without a length where the service tells none", async () => {
    const { handler } = await handlerBefore(inChunks(pdf));
    const response = await handler(callOf());
    expect(response.headers.has("content-length")).toBe(false);
    expect((await response.arrayBuffer()).byteLength).toBe(pdf.length);
  });

  it("carries nothing else of what the service sends", async () => {
    const answer = withLength(pdf, {
      "set-cookie": "session=upstream-words",
      "x-internal": "upstream-words",
      "x-request-id": "upstream-words",
      "content-disposition": 'attachment; filename="upstream-words.pdf"',
      server: "upstream-words",
      "cache-control": "public, max-age=3600",
    });
    const { handler } = await handlerBefore(answer);
    const { headers } = await handler(callOf());
    expect(JSON.stringify([...headers])).not.toContain(secrets.upstream);
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("is asked for with the key, the uid and the values, and nothing that the page sent beside", async () => {
    const { handler, service } = await handlerBefore();
    await handler(callOf({ headers: { cookie: "session=1", authorization: "Bearer of-the-page" } }));
    const { path, headers, body } = await service.request();
    expect(path).toBe(`/api/v1/templates/${secrets.uid}/generate-sync`);
    expect(headers.authorization).toBe(`API-Key ${secrets.key}`);
    expect(headers.cookie).toBeUndefined();
    expect(body).toBe('{"date":"today"}');
  });

  it("goes by the values that `values` gives", async () => {
    const values = async (_: Request, sent: Record<string, unknown>, name: string) => ({
      ...sent,
      price: 7,
      name,
    });
    const { handler, service } = await handlerBefore(undefined, { values });
    await handler(callOf({ body: '{"price":1,"date":"today"}' }));
    expect(JSON.parse((await service.request()).body)).toEqual({ price: 7, date: "today", name: "invoice" });
  });

  it.each([
    ["inline", undefined, 'inline; filename="invoice.pdf"'],
    ["attachment", "R 7/8", 'attachment; filename="R 7_8.pdf"'],
    ["inline", "März.pdf", "inline; filename=\"M_rz.pdf\"; filename*=UTF-8''M%C3%A4rz.pdf"],
    ["inline", 'a"\r\nx-evil: 1', 'inline; filename="a___x-evil_ 1.pdf"'],
  ] as const)("is offered %s as %j", async (disposition, name, header) => {
    const { handler } = await handlerBefore(undefined, { disposition, filename: () => name });
    expect((await handler(callOf())).headers.get("content-disposition")).toBe(header);
  });

  it("is named by the values that were sent", async () => {
    const { handler } = await handlerBefore(undefined, {
      values: (_, values) => ({ ...values, number: "0042" }),
      filename: async (_, values, name) => `${name} ${(values as { number: string }).number}`,
    });
    const { headers } = await handler(callOf());
    expect(headers.get("content-disposition")).toBe('attachment; filename="invoice 0042.pdf"');
  });

  it("is made of nothing but the templates listed", async () => {
    const { handler, service } = await handlerBefore();
    for (const name of [secrets.uid.slice(0, 3), "constructor", "__proto__", "toString", "Invoice"]) {
      const { kind, response } = await problemOf(await handler(callOf({ name })));
      expect([response.status, kind]).toEqual([404, "unknown-template"]);
    }
    expect(service.requests).toEqual([]);
  });
});
