import { template, ValuesError } from "template-pdf";
import { createHandler } from "template-pdf/handler";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { callOf, handlerBefore, handlerOf, problemOf, secrets, untouchedClient } from "./handling.ts";

type Options = Omit<Parameters<typeof handlerOf>[0], "client">;

/** Calls a handler whose client must not be used, and reads the problem. */
async function refused(options: Options, call = callOf()) {
  const { handler, onError } = handlerOf({ client: untouchedClient(), ...options });
  const { response, kind, errors } = await problemOf(await handler(call));
  const logged: (Error | undefined)[] = onError.mock.calls.map(([error]) => error);
  return { answer: { status: response.status, kind }, errors, logged, reason: logged[0]?.message };
}

describe("the `authorize` function", () => {
  it.each([
    ["false", false],
    ["undefined", undefined],
    ["a truthy string", "yes"],
  ])("causes a 403 if it returns %s", async (_, verdict) => {
    const { answer, logged } = await refused({ authorize: () => verdict as boolean });
    expect(answer).toEqual({ status: 403, kind: "not-authorized" });
    // Values other than true, false and a Response are mistakes, such as a forgotten `return`.
    const message = expect.stringContaining("`authorize` to return true, false or a Response, got");
    expect(logged).toEqual(verdict === false ? [] : [expect.objectContaining({ message })]);
  });

  it("can return or throw its own Response", async () => {
    const refusal = () => Response.json({ login: "/login" }, { status: 401 });
    const thrower = () => {
      throw refusal();
    };
    for (const authorize of [refusal, async () => refusal(), thrower]) {
      const response = await handlerOf({ client: untouchedClient(), authorize }).handler(callOf());
      expect({ status: response.status, body: await response.json() }).toEqual({
        status: 401,
        body: { login: "/login" },
      });
    }
  });

  it("is called before the body is read", async () => {
    const authorize = vi.fn(() => false);
    const pull = vi.fn();
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    const call = callOf({ name: "anything%20else", body, headers: { cookie: "session=1" } });
    await refused({ authorize }, call);
    expect(authorize).toHaveBeenCalledWith(call, "anything else", undefined);
    expect(pull).not.toHaveBeenCalled();
  });
});

describe("the `values` function", () => {
  it("can return its own Response to prevent a request to the service", async () => {
    const values = async () => new Response("Not your order.", { status: 404 });
    const response = await handlerOf({ client: untouchedClient(), values }).handler(callOf());
    expect({ status: response.status, body: await response.text() }).toEqual({
      status: 404,
      body: "Not your order.",
    });
  });

  it("causes a 422 if it returns values that violate the schema", async () => {
    const templates = { bill: template(secrets.uid, z.object({ total: z.string() })) };
    const values = (_: Request, sent: object) => ({ ...sent, total: 7 });
    const { answer, errors, logged } = await refused({ templates, values }, callOf({ name: "bill" }));
    expect(answer).toEqual({ status: 422, kind: "invalid-values" });
    expect(errors).toEqual([{ path: "total", detail: expect.any(String) }]);
    expect(logged).toEqual([expect.any(ValuesError)]);
  });
});

const read = new Response("Sign in.", { status: 401 });
const spent = () => read.text().then(() => read);
const notSent = "The handler's `authorize` returned a Response that cannot be sent";
const noValues = "`values` to return an object with the values to send, got";
it.each<[what: string, options: Record<string, () => unknown>, reason: string]>([
  ["`authorize` returns a Response whose body has already been read", { authorize: spent }, notSent],
  ["`authorize` returns `Response.error()`", { authorize: () => Response.error() }, notSent],
  ["`values` returns nothing", { values: () => undefined }, `${noValues} undefined.`],
  ["`values` returns a string", { values: () => "text" }, `${noValues} a string.`],
  ["`values` returns an object with a bigint", { values: () => ({ total: 7n }) }, "total"],
  ["`filename` returns a number", { filename: () => 7 }, "`filename` to return a string"],
])("a handler responds with 500 and calls onError if %s", async (_, options, expected) => {
  const { answer, reason } = await refused({ origins: ["https://app.test"], ...options });
  expect(answer).toEqual({ status: 500, kind: "server-fault" });
  expect(reason).toContain(expected);
});

it("`filename` receives the schema's output", async () => {
  const bill = template(secrets.uid, z.object({ number: z.string().transform((text) => `No. ${text}`) }));
  const filename = vi.fn((_: Request, values: object) => (values as { number: string }).number);
  const { handler } = await handlerBefore(undefined, { templates: { bill }, filename });
  expect((await handler(callOf({ name: "bill", body: '{"number":7}' }))).status).toBe(422);
  expect(filename).not.toHaveBeenCalled();
  const { headers } = await handler(callOf({ name: "bill", body: '{"number":"7"}' }));
  expect(headers.get("content-disposition")).toBe('attachment; filename="No. 7.pdf"');
});

describe("a call's context", () => {
  const ada = { id: "ada" };
  type User = typeof ada;
  const templates = { invoice: template(secrets.uid) };

  it("is passed to `authorize`, `values` and `filename`", async () => {
    const { client, service } = await handlerBefore();
    const handler = createHandler({
      client,
      templates,
      authorize: (_request, _name, user: User) => user.id === "ada",
      values: (_request, values, _name, user) => ({ ...values, customer: user.id }),
      filename: (_request, _values, _name, user) => `of-${user.id}`,
    });
    const response = await handler(callOf(), ada);
    expect(response.headers.get("content-disposition")).toContain('filename="of-ada.pdf"');
    expect(JSON.parse((await service.request()).body)).toEqual({ date: "today", customer: "ada" });
    expect((await problemOf(await handler(callOf(), { id: "eve" }))).kind).toBe("not-authorized");
  });

  it("is required by the handler's type if an option function declares a context parameter", async () => {
    const { client } = await handlerBefore();
    const typed = createHandler({ client, templates, authorize: (_request, _name, user: User) => !!user });
    // @ts-expect-error the context is missing
    const missing = typed(callOf());
    expect((await missing).status).toBe(403);
    // @ts-expect-error the context has another type
    void typed(callOf(), { id: 7 });
    const untyped = createHandler({ client, templates, authorize: () => true });
    // Next.js, Workers and Deno call handlers in this way.
    const route: (request: Request, context: { params: Promise<object> }) => Promise<Response> = untyped;
    expect((await route(callOf(), { params: Promise.resolve({}) })).status).toBe(200);
  });
});
