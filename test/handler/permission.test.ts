import { template, ValuesError } from "template-pdf";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { callOf, handlerBefore, handlerOf, problemOf, secrets, untouchedClient } from "./handling.ts";

describe("authorize", () => {
  it.each([
    ["false", false],
    ["nothing", undefined],
    ["null", null],
    ["something that is merely true-like", "yes"],
  ])("lets nobody pass by %s", async (_, verdict) => {
    const { handler, onError } = handlerOf({
      client: untouchedClient(),
      authorize: () => verdict as boolean,
    });
    const { response, kind } = await problemOf(await handler(callOf()));
    expect([response.status, kind]).toEqual([403, "not-authorized"]);
    // What is not said on purpose is a mistake, such as a forgotten `return`.
    const logged = onError.mock.calls.map(([{ message }]) => message);
    expect(logged).toEqual(
      verdict === false
        ? []
        : [expect.stringContaining("`authorize` of the handler to return true, false or a Response, got")],
    );
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

  it("may give the same Response again and again, which stays as it was", async () => {
    const refusal = new Response(null, { status: 401, headers: { vary: "cookie" } });
    const before = [...refusal.headers];
    const { handler } = handlerOf({
      client: untouchedClient(),
      origins: ["https://app.test"],
      authorize: () => refusal,
    });
    for (const origin of ["https://app.test", undefined, "https://app.test"]) {
      const { status, headers } = await handler(callOf(origin ? { headers: { origin } } : {}));
      expect([status, headers.get("vary")]).toEqual([401, "cookie, origin"]);
      expect(headers.get("access-control-allow-origin")).toBe(origin ?? null);
    }
    expect([...refusal.headers]).toEqual(before);
  });

  it.each([
    ["that of a failed fetch", () => Response.error()],
    [
      "read before",
      async () => {
        const read = new Response("Sign in.", { status: 401 });
        await read.text();
        return read;
      },
    ],
  ])("is told when its Response cannot be sent, because it is %s", async (_, authorize) => {
    const { handler, onError } = handlerOf({
      client: untouchedClient(),
      origins: ["https://app.test"],
      authorize,
    });
    const { response, kind } = await problemOf(await handler(callOf()));
    expect([response.status, kind]).toEqual([500, "server-fault"]);
    expect(onError.mock.calls[0]?.[0].message).toContain(
      "`authorize` of the handler gave a Response that cannot be sent",
    );
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
    expect(authorize).toHaveBeenCalledWith(call, "anything else", undefined);
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

  it.each([
    [undefined, "undefined"],
    [null, "null"],
    ["text", "a string"],
    [["a list"], "an array"],
  ])("that gives %j is a fault of this side", async (given, got) => {
    const { handler, onError } = handlerOf({
      client: untouchedClient(),
      values: () => given as unknown as object,
    });
    const { response, kind } = await problemOf(await handler(callOf()));
    expect([response.status, kind]).toEqual([500, "server-fault"]);
    expect(onError.mock.calls[0]?.[0].message).toContain(
      `\`values\` of the handler to return the object of values to send, got ${got}.`,
    );
  });

  it.each([
    ["a Map", () => new Map([["total", "7"]])],
    ["a bigint", () => ({ total: 7n })],
    ["what is no number", () => ({ total: Number.NaN })],
  ])("that gives %s is a fault of this side, too", async (_, values) => {
    const { handler, onError } = handlerOf({ client: untouchedClient(), values });
    const { response, kind } = await problemOf(await handler(callOf()));
    expect([response.status, kind, onError.mock.calls.length]).toEqual([500, "server-fault", 1]);
  });

  it("that gives what the schema refuses is told to the page and to the log, because either may be to blame", async () => {
    const bill = template(secrets.uid, z.object({ total: z.string() }));
    const { handler, onError } = handlerOf({
      client: untouchedClient(),
      templates: { bill },
      values: (_, values) => ({ ...values, total: 7 }),
    });
    const { response, errors } = await problemOf(await handler(callOf({ name: "bill" })));
    expect([response.status, errors]).toEqual([422, [{ path: "total", detail: expect.any(String) }]]);
    expect(onError.mock.calls[0]?.[0]).toBeInstanceOf(ValuesError);
  });
});

describe("filename", () => {
  const bill = template(secrets.uid, z.object({ number: z.string().transform((text) => `No. ${text}`) }));

  it("hears the values as the schema left them", async () => {
    const filename = (_: Request, values: object) => (values as { number: string }).number;
    const { handler } = await handlerBefore(undefined, { templates: { bill }, filename });
    const { headers } = await handler(callOf({ name: "bill", body: '{"number":"7"}' }));
    expect(headers.get("content-disposition")).toBe('attachment; filename="No. 7.pdf"');
  });

  it("hears none that the schema refuses", async () => {
    const filename = vi.fn(() => "name");
    const { handler } = handlerOf({ client: untouchedClient(), templates: { bill }, filename });
    expect((await handler(callOf({ name: "bill", body: '{"number":7}' }))).status).toBe(422);
    expect(filename).not.toHaveBeenCalled();
  });

  it.each([[7], [null], [{}]])(
    "that gives %j is a fault of this side, and nothing is sent",
    async (given) => {
      const { handler, onError } = handlerOf({
        client: untouchedClient(),
        filename: () => given as unknown as string,
      });
      expect((await handler(callOf())).status).toBe(500);
      expect(onError.mock.calls[0]?.[0].message).toContain("`filename` of the handler to return a string");
    },
  );
});
