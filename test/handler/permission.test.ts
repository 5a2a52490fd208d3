import { describe, expect, it, vi } from "vitest";
import { callOf, handlerBefore, handlerOf, problemOf, untouchedClient } from "./handling.ts";

describe("authorize", () => {
  it.each([
    ["false", false],
    ["nothing", undefined],
    ["null", null],
    ["something that is merely true-like", "yes"],
    ["an object", { allowed: true }],
    ["one", 1],
  ])("lets nobody pass by %s", async (_, verdict) => {
    const { handler, onError } = handlerOf({
      client: untouchedClient(),
      authorize: () => verdict as boolean,
    });
    const { response, kind } = await problemOf(await handler(callOf()));
    expect([response.status, kind]).toEqual([403, "not-authorized"]);
    expect(onError).not.toHaveBeenCalled();
  });

  it("answers with a Response of its own, given or thrown", async () => {
    const refusal = () => Response.json({ login: "/login" }, { status: 401 });
    const thrower = () => {
      throw refusal();
    };
    for (const authorize of [refusal, async () => refusal(), thrower]) {
      const { handler } = handlerOf({ client: untouchedClient(), authorize });
      const response = await handler(callOf());
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({ login: "/login" });
    }
  });

  it("hears of the call and the name, before the body is read", async () => {
    const authorize = vi.fn(() => false);
    const pull = vi.fn((controller: ReadableStreamDefaultController) =>
      controller.enqueue(new Uint8Array(9)),
    );
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    const { handler } = handlerOf({ client: untouchedClient(), authorize });
    const call = callOf({ name: "anything%20else", body, headers: { cookie: "session=1" } });
    await handler(call);
    expect(authorize).toHaveBeenCalledWith(call, "anything else");
    expect(pull).not.toHaveBeenCalled();
  });

  it("is asked about unknown names, too, so that a stranger learns none", async () => {
    const { handler } = handlerOf({ client: untouchedClient(), authorize: () => false });
    const answers = await Promise.all(
      ["invoice", "other"].map(async (name) => (await handler(callOf({ name }))).text()),
    );
    expect(answers[0]).toBe(answers[1]);
  });

  it("that reads the body is told that it must not", async () => {
    const { handler, onError } = await handlerBefore(undefined, {
      authorize: async (request) => (await request.json()) !== null,
    });
    const { response, kind } = await problemOf(await handler(callOf()));
    expect([response.status, kind]).toEqual([500, "server-fault"]);
    expect(onError.mock.calls[0]?.[0].message).toContain("leave the body alone in `authorize`");
  });
});

describe("values", () => {
  it("answers with a Response of its own, and asks the service nothing", async () => {
    const { handler } = handlerOf({
      client: untouchedClient(),
      values: async () => new Response("Not your order.", { status: 404 }),
    });
    const response = await handler(callOf());
    expect([response.status, await response.text()]).toEqual([404, "Not your order."]);
  });

  it.each([[undefined], [null], ["text"], [["a list"]]])(
    "that gives %j is a fault of this side",
    async (given) => {
      const { handler, onError } = handlerOf({
        client: untouchedClient(),
        values: () => given as unknown as object,
      });
      const { response, kind } = await problemOf(await handler(callOf()));
      expect([response.status, kind]).toEqual([500, "server-fault"]);
      expect(onError.mock.calls[0]?.[0].message).toContain("`values` of the handler");
    },
  );
});
