import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { createEndpoint, defaultMaxBodyBytes, type Order } from "../../src/service/endpoint.ts";
import { Problem } from "../../src/service/problem.ts";
import { property } from "../support/fuzz.ts";
import { endless, endpoint, json, open, PDF, request } from "./endpoint-call.ts";

describe("the size limit", () => {
  it("lets exactly the limit pass", async () => {
    expect((await endpoint(request({ body: `{"a":"${"x".repeat(92)}"}` }))).status).toBe(200);
  });

  it("stops reading at the limit and lets go of the body", async () => {
    const { seen, stream } = endless(40);
    expect((await endpoint(request({ body: stream }))).status).toBe(413);
    expect(seen).toEqual({ bytes: 120, cancelled: true });
  });

  it("reads nothing when the declared length is too large", async () => {
    const { seen, stream } = endless(40);
    const response = await endpoint(
      request({ headers: { ...json, "content-length": "4000" }, body: stream }),
    );
    expect([response.status, seen.bytes]).toEqual([413, 0]);
  });

  it("is 1 MiB by default", async () => {
    const byDefault = createEndpoint({ ...open, produce: () => ({ bytes: PDF }) });
    const of = (bytes: number) => request({ body: `{"a":"${"x".repeat(bytes - 8)}"}` });
    expect(defaultMaxBodyBytes).toBe(1024 ** 2);
    expect((await byDefault(of(1024 ** 2))).status).toBe(200);
    expect((await byDefault(of(1024 ** 2 + 1))).status).toBe(413);
  });

  it("calls a body that breaks off a bad request", async () => {
    const stream = new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) });
    const response = await endpoint(request({ body: stream }));
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("broke off")]);
  });
});

describe("a document", () => {
  it("is answered whole, with its length, a file name, and never to be cached", async () => {
    const response = await endpoint(request({ body: '{"date":"20 November 2026"}' }));
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toEqual({
      "content-type": "application/pdf",
      "content-length": String(PDF.byteLength),
      "content-disposition": 'attachment; filename="invoice.pdf"',
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": expect.stringMatching(/^[\da-f-]{36}$/),
    });
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(PDF);
  });

  it("may be a stream, under a name of its own", async () => {
    const streaming = createEndpoint({
      ...open,
      produce: () => ({ bytes: new Blob([PDF]).stream(), filename: "Łódź" }),
    });
    const response = await streaming(request({}));
    expect(response.headers.has("content-length")).toBe(false);
    expect(response.headers.get("content-disposition")).toContain("filename*=UTF-8''%C5%81%C3%B3d%C5%BA.pdf");
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(PDF);
  });

  it.each([
    "application/json",
    "Application/JSON",
    "application/json;charset=UTF-8",
    'application/json; a=b; charset="utf-8"',
  ])("comes for the content type %s", async (type) => {
    expect((await endpoint(request({ headers: { ...json, "content-type": type } }))).status).toBe(200);
  });

  it("is made from the uid, the values and the signal of the call", async () => {
    const produce = vi.fn((_order: Order) => ({ bytes: PDF }));
    const controller = new AbortController();
    const call = new Request(request({ body: '\ufeff{"total":"£1,000,000","n":[1,null]}' }), {
      signal: controller.signal,
    });
    await createEndpoint({ ...open, produce })(call);
    const order = produce.mock.calls[0]?.[0];
    expect(order).toMatchObject({
      uid: "invoice",
      values: { total: "£1,000,000", n: [1, null] },
      request: call,
    });
    expect(order?.signal.aborted).toBe(false);
    controller.abort();
    expect(order?.signal.aborted).toBe(true);
  });

  it("carries another request id each time", async () => {
    const ids = await Promise.all(
      [1, 2].map(async () => (await endpoint(request({}))).headers.get("x-request-id")),
    );
    expect(ids[0]).not.toBe(ids[1]);
  });
});

describe("an answer that produce made itself", () => {
  it("is passed on as it is, with a request id", async () => {
    const made = new Response("<h1>Sign in</h1>", { status: 203, headers: { "content-type": "text/html" } });
    const response = await createEndpoint({ ...open, produce: async () => made })(request({}));
    expect(response).toBe(made);
    expect([response.status, await response.text()]).toEqual([203, "<h1>Sign in</h1>"]);
    expect(Object.fromEntries(response.headers)).toEqual({
      "content-type": "text/html",
      "x-request-id": expect.stringMatching(/^[\da-f-]{36}$/),
    });
  });

  it("never carries the request id of somebody else", async () => {
    const made = new Response(null, { headers: { "x-request-id": "theirs" } });
    const response = await createEndpoint({ ...open, produce: () => made })(request({}));
    expect(response.headers.get("x-request-id")).toMatch(/^[\da-f-]{36}$/);
  });

  it.each([
    ["a network error", () => Response.error()],
    ["a redirect", () => Response.redirect("https://service.test/", 302)],
  ])("is passed on without one where its headers cannot be changed: %s", async (_kind, make) => {
    const made = make();
    const onError = vi.fn();
    expect(await createEndpoint<void>({ ...open, produce: () => made, onError })(request({}))).toBe(made);
    expect(made.headers.has("x-request-id")).toBe(false);
    expect(onError).not.toHaveBeenCalled();
  });

  it("may come from another realm", async () => {
    const made = Object.create(null, {
      [Symbol.toStringTag]: { value: "Response" },
      headers: { value: new Headers() },
    });
    expect(await createEndpoint({ ...open, produce: () => made })(request({}))).toBe(made);
  });

  it.each([undefined, null, "text", {}])(
    "is neither a document nor an answer, and so a 500: %j",
    async (made) => {
      const onError = vi.fn();
      const response = await createEndpoint<void>({ ...open, produce: () => made as never, onError })(
        request({}),
      );
      expect(response.status).toBe(500);
      expect(onError).toHaveBeenCalledOnce();
    },
  );
});

describe("the path", () => {
  property("brings any uid through, below any prefix", () => {
    const produce = vi.fn((_order: Order) => ({ bytes: PDF }));
    const routed = createEndpoint({ ...open, produce });
    const uids = fc
      .string({ unit: "binary", minLength: 1 })
      .filter((uid) => !/\p{Cc}|\p{Cs}/u.test(uid) && uid !== "." && uid !== "..");
    const prefixes = fc
      .array(fc.stringMatching(/^[a-z]{1,5}$/))
      .map((parts) => parts.map((part) => `/${part}`).join(""));
    return fc.asyncProperty(uids, prefixes, async (uid, prefix) => {
      const path = `${prefix}/api/v1/templates/${encodeURIComponent(uid)}/generate-sync?a=b`;
      expect((await routed(request({ path }))).status).toBe(200);
      expect(produce.mock.lastCall?.[0].uid).toBe(uid);
    });
  });

  property("never makes anything but an answer out of any path", () =>
    fc.asyncProperty(fc.webPath(), fc.string({ unit: "binary" }), async (path, uid) => {
      expect(
        (
          await endpoint(
            request({ path: `${path}/api/v1/templates/${uid.replace(/[?#]/g, "")}/generate-sync` }),
          )
        ).status,
      ).toBeLessThan(500);
    }),
  );
});

describe("an unexpected error", () => {
  it.each(["authorize", "produce"] as const)("in %s is a bare 500, and goes to onError", async (place) => {
    const error = new Error("secret-value: database password");
    const onError = vi.fn();
    const broken = createEndpoint<void>({
      ...open,
      produce: () => ({ bytes: PDF }),
      [place]: () => Promise.reject(error),
      onError,
    });
    const call = request({});
    const response = await broken(call);
    const text = await response.text();
    expect([response.status, response.headers.get("content-type")]).toEqual([
      500,
      "application/problem+json",
    ]);
    expect(text).not.toContain("secret");
    const requestId = response.headers.get("x-request-id");
    expect(onError).toHaveBeenCalledExactlyOnceWith(error, call, requestId, undefined);
  });

  it("is answered even without onError, and when onError throws", async () => {
    const produce = () => {
      throw new Error("inner");
    };
    const onError = () => {
      throw new Error("full disk");
    };
    expect((await createEndpoint({ ...open, produce })(request({}))).status).toBe(500);
    expect((await createEndpoint({ ...open, produce, onError })(request({}))).status).toBe(500);
  });

  it("is none when produce stops because the caller left", async () => {
    const onError = vi.fn();
    const controller = new AbortController();
    const produce = ({ signal }: Order) => {
      controller.abort(new Error("left"));
      signal.throwIfAborted();
      return { bytes: PDF };
    };
    await createEndpoint({ ...open, produce, onError })(
      new Request(request({}), { signal: controller.signal }),
    );
    expect(onError).not.toHaveBeenCalled();
  });
});

describe("a Problem", () => {
  it("thrown by produce is the answer, with type, title and headers, and is not reported", async () => {
    const onError = vi.fn();
    const produce = () => {
      throw new Problem(429, "Wait a minute.", {
        kind: "rate-limited",
        headers: { "retry-after": "60" },
      });
    };
    const response = await createEndpoint<void>({ ...open, produce, onError })(request({}));
    expect(response.headers.get("retry-after")).toBe("60");
    expect(await response.json()).toEqual({
      type: "urn:template-pdf:problem:rate-limited",
      title: "Too Many Requests",
      status: 429,
      detail: "Wait a minute.",
    });
    expect(onError).not.toHaveBeenCalled();
  });
});
