import { describe, expect, it } from "vitest";
import type { FetchInit, FetchLike, FetchResponse } from "../../src/transport/fetch.ts";
import { fetchTransport } from "../../src/transport/fetch.ts";
import { describeTransport } from "./contract.ts";
import { record, requestTo } from "./recorder.ts";
import { head, later, serveRaw, settle, turn } from "./server.ts";

describeTransport("fetch", () => fetchTransport(() => globalThis.fetch as FetchLike, undefined), {
  toDamagedChains: true,
  toSocketsOfDamage: true,
  toCutOffCodings: true,
});

describe("the fetch transport", () => {
  const by = (fetch: FetchLike, credentials?: FetchInit["credentials"]) =>
    fetchTransport(() => fetch, credentials);
  const request = requestTo("http://service.test");

  it("asks for no redirect, no cache and no cookie of its own", async () => {
    let call: { url: string; init: FetchInit; self: unknown } | undefined;
    const transport = by(async function (this: unknown, url, init) {
      call = { url, init, self: this };
      return new Response("body");
    });
    await record(transport, request).send().until("end");
    expect(call?.url).toBe(request.origin + request.path);
    // A browser's own fetch refuses any other `this`.
    expect(call?.self).toBeUndefined();
    expect(call?.init).toEqual({
      method: "POST",
      headers: [
        ["authorization", "API-Key key-of-the-tests"],
        ["content-type", "application/json"],
      ],
      body: request.body,
      redirect: "manual",
      cache: "no-store",
      signal: expect.any(AbortSignal),
    });
  });

  it("lets cookies go along where it was asked to", async () => {
    const seen: unknown[] = [];
    const fetch: FetchLike = async (_url, init) => {
      seen.push(init.credentials);
      return new Response("body");
    };
    await record(by(fetch, "include"), request).send().until("end");
    expect(seen).toEqual(["include"]);
  });

  it("gives the reason of an abort to fetch's signal", async () => {
    let signal: AbortSignal | undefined;
    const recorder = record(
      by((_url, init) => {
        signal = init.signal;
        return new Promise(() => {});
      }),
      request,
    ).send();
    const reason = new Error("enough");
    recorder.abort(reason);
    await turn();
    expect(signal?.reason).toBe(reason);
    expect(recorder.events).toEqual(["sent"]);
  });

  it("tells what a fetch throws instead of rejecting", async () => {
    const cause = new TypeError("not today");
    const recorder = record(
      by(() => {
        throw cause;
      }),
      request,
    ).send();
    await recorder.finished();
    expect([recorder.events, recorder.failure]).toEqual([["failure"], cause]);
  });

  it("ends an answer without a body", async () => {
    const recorder = record(
      by(async () => new Response(null, { status: 204 })),
      request,
    ).send();
    await recorder.finished();
    expect(recorder.events).toEqual(["sent", "head", "end"]);
  });

  describe("by a fetch that does not know signals", () => {
    /** A body that gives one chunk and then waits, and tells of its cancellation. */
    const endless = () => {
      const cancelled = later<unknown>();
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new Uint8Array(5)),
        cancel: (reason) => cancelled.resolve(reason),
      });
      return { cancelled: cancelled.promise, response: new Response(body) as FetchResponse };
    };

    it("cancels an answer that comes after the abort", async () => {
      const { cancelled, response } = endless();
      const answer = later<FetchResponse>();
      const recorder = record(
        by(() => answer.promise),
        request,
      ).send();
      await recorder.until("sent");
      recorder.abort();
      answer.resolve(response);
      await cancelled;
      expect(recorder.events).toEqual(["sent"]);
    });

    it("cancels the body when it is aborted in the moment of the head", async () => {
      const { cancelled, response } = endless();
      record(
        by(async () => response),
        request,
        { onHead: (one) => one.abort() },
      ).send();
      await cancelled;
    });

    it("cancels the body when it is aborted in the moment of a chunk", async () => {
      const { cancelled, response } = endless();
      record(
        by(async () => response),
        request,
        { onChunk: (one) => one.abort() },
      ).send();
      await cancelled;
    });

    it("cancels the body when it is aborted while waiting for the next chunk", async () => {
      const { cancelled, response } = endless();
      const recorder = record(
        by(async () => response),
        request,
      ).send();
      await recorder.until("chunk");
      await turn();
      recorder.abort();
      await cancelled;
      expect(recorder.events).toEqual(["sent", "head", "chunk"]);
    });

    it("cancels the body when it is aborted while paused", async () => {
      const { cancelled, response } = endless();
      const recorder = record(
        by(async () => response),
        request,
        { onChunk: (one) => one.pause() },
      ).send();
      await recorder.until("chunk");
      await turn();
      recorder.abort();
      await cancelled;
    });
  });

  it("tells a redirect that a page may not look into as such", async () => {
    const opaque = { type: "opaqueredirect", status: 0, headers: new Headers(), body: null };
    const recorder = record(
      by(async () => opaque),
      request,
    ).send();
    await recorder.finished();
    expect(recorder.head.opaqueRedirect).toBe(true);
  });

  it("asks for the global fetch anew for every request", async () => {
    const server = await serveRaw((socket) => socket.write(`${head(200, ["content-length: 4"])}real`));
    let current: FetchLike = async () => new Response("mock");
    const transport = fetchTransport(() => current, undefined);
    const mocked = record(transport, requestTo(server.origin)).send();
    await mocked.until("end");
    current = globalThis.fetch as FetchLike;
    const real = record(transport, requestTo(server.origin)).send();
    await real.until("end");
    await settle(transport);
    expect([mocked.body.toString(), real.body.toString()]).toEqual(["mock", "real"]);
  });
});
