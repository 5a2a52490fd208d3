import { getRequestListener } from "@hono/node-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createEndpoint, defaultMaxBodyBytes, type Order } from "../../src/service/endpoint.ts";
import { Problem } from "../../src/service/problem.ts";
import { endless, endpoint, json, open, PDF, request } from "./endpoint-call.ts";

const requestId = expect.stringMatching(/^[\da-f-]{36}$/);

describe("the size limit", () => {
  const limit = 100;
  const limited = createEndpoint({ ...open, produce: () => ({ bytes: PDF }), maxBodyBytes: limit });
  const bodyOf = (bytes: number) => `{"a":"${"x".repeat(bytes - '{"a":""}'.length)}"}`;

  it("allows a body of exactly the maximum size, and no larger one", async () => {
    expect((await limited(request({ body: bodyOf(limit) }))).status).toBe(200);
    expect((await limited(request({ body: bodyOf(limit + 1) }))).status).toBe(413);
  });

  it("stops reading a body of unknown length at the first chunk that exceeds the limit", async () => {
    const chunkBytes = 40;
    const { seen, stream } = endless(chunkBytes);
    expect((await limited(request({ body: stream }))).status).toBe(413);
    expect(seen).toEqual({ bytes: 3 * chunkBytes, cancelled: true });
  });

  it("rejects a larger declared length without reading the body", async () => {
    const { seen, stream } = endless(40);
    const headers = { ...json, "content-length": String(limit + 1) };
    expect((await limited(request({ headers, body: stream }))).status).toBe(413);
    expect(seen.bytes).toBe(0);
  });

  it("is 1 MiB by default", async () => {
    const byDefault = createEndpoint({ ...open, produce: () => ({ bytes: PDF }) });
    const of = (bytes: number) => request({ body: `{"a":"${"x".repeat(bytes - 8)}"}` });
    expect(defaultMaxBodyBytes).toBe(1024 ** 2);
    expect((await byDefault(of(1024 ** 2))).status).toBe(200);
    expect((await byDefault(of(1024 ** 2 + 1))).status).toBe(413);
  });
});

it("a truncated request body causes a 400 response", async () => {
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) });
  const response = await endpoint(request({ body }));
  expect({ status: response.status, body: await response.text() }).toEqual({
    status: 400,
    body: expect.stringContaining("is incomplete"),
  });
});

describe("a request body in memory", () => {
  /** A request whose body repeats its last chunk for ever, or ends if that is `undefined`. */
  function requestOf(...chunks: readonly unknown[]) {
    let reads = 0;
    const leaving = new AbortController();
    const read = async () => {
      if (++reads > 1_000_000) throw new Error("Timers did not run.");
      const value = chunks[Math.min(reads, chunks.length) - 1];
      return { done: reads >= chunks.length && value === undefined, value };
    };
    const body = { getReader: () => ({ read, cancel: async () => {} }) };
    const call = Object.defineProperties(request({}), {
      body: { value: body },
      signal: { value: leaving.signal },
    });
    return { call, leaving };
  }

  it.each([[[new Uint8Array(0)]], [[new Uint8Array([0x20])]]])(
    "stops being read when the caller leaves, even if every read resolves immediately (%j)",
    async (chunks) => {
      const { call, leaving } = requestOf(...chunks);
      const onError = vi.fn();
      const produce = vi.fn();
      const maxBodyBytes = 1_000_000_000;
      const pending = createEndpoint({ ...open, produce, onError, maxBodyBytes })(call, undefined);
      setTimeout(() => leaving.abort(new Error("left")), 1);
      expect((await pending).status).toBe(499);
      expect({ produced: produce.mock.calls, reported: onError.mock.calls }).toEqual({
        produced: [],
        reported: [],
      });
    },
  );

  it("may contain empty chunks", async () => {
    const { call } = requestOf(
      new Uint8Array(0),
      new Uint8Array([0x7b]),
      new Uint8Array(0),
      new Uint8Array([0x7d]),
      undefined,
    );
    const produce = vi.fn(() => ({ bytes: PDF }));
    expect((await createEndpoint({ ...open, produce })(call)).status).toBe(200);
  });

  it.each([
    ["a string", "{}"],
    ["null", null],
    ["an ArrayBuffer", new ArrayBuffer(2)],
    ["a DataView", new DataView(new ArrayBuffer(2))],
  ])("is a mistake of the server if a chunk is %s", async (what, chunk) => {
    const onError = vi.fn();
    const { call } = requestOf(chunk);
    const response = await createEndpoint({ ...open, produce: vi.fn(), onError })(call, undefined);
    expect(response.status).toBe(500);
    expect(onError.mock.calls).toEqual([
      [expect.objectContaining({ code: "invalid_configuration" }), call, expect.any(String), undefined],
    ]);
    expect(String(onError.mock.calls[0]?.[0])).toContain(`Uint8Array chunks, got ${what}.`);
  });
});

describe("a document", () => {
  it("is sent with its length, a file name and headers that prevent caching", async () => {
    const response = await endpoint(request({ body: '{"date":"20 November 2026"}' }));
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toEqual({
      "content-type": "application/pdf",
      "content-length": String(PDF.byteLength),
      "content-disposition": 'attachment; filename="invoice.pdf"',
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": requestId,
    });
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(PDF);
    const { headers } = await endpoint(request({}));
    expect(headers.get("x-request-id")).not.toBe(response.headers.get("x-request-id"));
  });

  it("can be a stream with its own file name", async () => {
    const produce = () => ({ bytes: new Blob([PDF]).stream(), filename: "Łódź" });
    const response = await createEndpoint({ ...open, produce })(request({}));
    expect(response.headers.has("content-length")).toBe(false);
    expect(response.headers.get("content-disposition")).toContain("filename*=UTF-8''%C5%81%C3%B3d%C5%BA.pdf");
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(PDF);
  });

  const types = ["application/json;charset=UTF-8", 'Application/JSON; a=b; charset="utf-8"'];
  it.each(types)("is generated for a request with the content type %s", async (type) => {
    expect((await endpoint(request({ headers: { ...json, "content-type": type } }))).status).toBe(200);
  });

  it("comes from `produce`, which receives the request's uid, values and abort signal", async () => {
    const produce = vi.fn((_order: Order) => ({ bytes: PDF }));
    const controller = new AbortController();
    const call = new Request(request({ body: '\ufeff{"total":"£1,000,000","n":[1,null]}' }), controller);
    await createEndpoint({ ...open, produce })(call);
    const order = produce.mock.calls[0]?.[0];
    const values = { total: "£1,000,000", n: [1, null] };
    expect(order).toMatchObject({ uid: "invoice", values, request: call });
    expect(order?.signal.aborted).toBe(false);
    controller.abort();
    expect(order?.signal.aborted).toBe(true);
  });
});

describe("the result of `produce`", () => {
  it("is sent with a new request ID if the result is a Response", async () => {
    const headers = { "content-type": "text/html", "x-request-id": "theirs" };
    const own = new Response("<h1>Sign in</h1>", { status: 203, headers });
    const response = await createEndpoint({ ...open, produce: async () => own })(request({}));
    expect(response).toBe(own);
    expect({ status: response.status, body: await response.text() }).toEqual({
      status: 203,
      body: "<h1>Sign in</h1>",
    });
    expect(Object.fromEntries(response.headers)).toEqual({ ...headers, "x-request-id": requestId });
  });

  it("keeps its request ID even if an adapter replaces the global Response", async () => {
    const own = { Request, Response };
    onTestFinished(() => void Object.assign(globalThis, own));
    getRequestListener(() => new Response());
    expect(Response).not.toBe(own.Response);
    const produce = () => new Response("from elsewhere", { headers: { "content-type": "text/plain" } });
    const answer = await createEndpoint({ ...open, produce })(request({}));
    expect(await answer.text()).toBe("from elsewhere");
    expect(answer.headers.get("x-request-id")).toEqual(requestId);
  });

  it.each([undefined, {}])(
    "causes a 500 if the result is not a Response or a document: %j",
    async (result) => {
      const onError = vi.fn();
      const broken = createEndpoint<void>({ ...open, produce: () => result as never, onError });
      expect((await broken(request({}))).status).toBe(500);
      expect(onError).toHaveBeenCalledOnce();
    },
  );
});

it.each(["", "/pdf/v2"])("a path with the prefix %j can contain any uid and a query", async (prefix) => {
  const produce = vi.fn((_order: Order) => ({ bytes: PDF }));
  const uid = "a/b?c#d%20é🧾 ..";
  const path = `${prefix}/api/v1/templates/${encodeURIComponent(uid)}/generate-sync?a=b`;
  expect((await createEndpoint({ ...open, produce })(request({ path }))).status).toBe(200);
  expect(produce.mock.lastCall?.[0].uid).toBe(uid);
});

describe("an unexpected error", () => {
  const places = ["authorize", "produce"];
  it.each(places)("is passed to `onError` but not to the caller if `%s` throws it", async (place) => {
    const error = new Error("secret-value: database password");
    const onError = vi.fn();
    const parts = { ...open, produce: () => ({ bytes: PDF }), [place]: () => Promise.reject(error) };
    const call = request({});
    const response = await createEndpoint<void>({ ...parts, onError })(call);
    const { status, headers } = response;
    expect({ status, contentType: headers.get("content-type") }).toEqual({
      status: 500,
      contentType: "application/problem+json",
    });
    expect(await response.text()).not.toContain("secret");
    expect(onError).toHaveBeenCalledExactlyOnceWith(error, call, headers.get("x-request-id"), undefined);
  });

  it("causes a 500 response even if `onError` is omitted or throws", async () => {
    const produce = () => {
      throw new Error("inner");
    };
    expect((await createEndpoint({ ...open, produce })(request({}))).status).toBe(500);
    expect((await createEndpoint({ ...open, produce, onError: produce })(request({}))).status).toBe(500);
  });
});

it("a Problem thrown by `produce` is sent with its headers, and is not passed to `onError`", async () => {
  const onError = vi.fn();
  const produce = () => {
    throw new Problem(429, "Wait a minute.", { kind: "rate-limited", headers: { "retry-after": "60" } });
  };
  const response = await createEndpoint<void>({ ...open, produce, onError })(request({}));
  expect(response.headers.get("retry-after")).toBe("60");
  const type = "urn:template-pdf:problem:rate-limited";
  const expected = { type, title: "Too Many Requests", status: 429, detail: "Wait a minute." };
  expect(await response.json()).toEqual(expected);
  expect(onError).not.toHaveBeenCalled();
});
