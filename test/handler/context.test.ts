import type { IncomingMessage } from "node:http";
import { template } from "template-pdf";
import { createHandler } from "template-pdf/handler";
import { expect, it, vi } from "vitest";
import { callOf, handlerBefore, problemOf, secrets } from "./handling.ts";

interface User {
  readonly id: string;
}

const ada: User = { id: "ada" };
const templates = { invoice: template(secrets.uid) };

it("passes the context of a call to authorize, values and filename", async () => {
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

it("passes the context of a call to onError", async () => {
  const { client } = await handlerBefore();
  const onError = vi.fn();
  const failing = () => {
    throw new Error("no session");
  };
  const handler = createHandler({ client, templates, authorize: failing, onError });
  await handler(callOf(), ada);
  expect(onError.mock.calls[0]?.[1].context).toBe(ada);
});

it("requires a context in its type if a function declares one", async () => {
  const { client } = await handlerBefore();
  const typed = createHandler({ client, templates, authorize: (_request, _name, user: User) => !!user });
  // @ts-expect-error the context is missing
  const missing = typed(callOf());
  expect((await missing).status).toBe(403);
  // @ts-expect-error it is another type
  void typed(callOf(), { id: 7 });
  const untyped = createHandler({ client, templates, authorize: () => true });
  // As Next.js, Workers and Deno call handlers.
  const route: (request: Request, context: { params: Promise<object> }) => Promise<Response> = untyped;
  expect((await route(callOf(), { params: Promise.resolve({}) })).status).toBe(200);
});

it.each([
  [
    "node:http",
    { url: "/", headers: {}, httpVersion: "1.1" },
    "pass nodeListener(handler) of template-pdf/handler/node",
  ],
  [
    "Fastify",
    { url: "/", headers: {}, raw: {} },
    "call nodeListener(handler) of template-pdf/handler/node with request.raw",
  ],
  ["Hono", { req: { raw: callOf() } }, "pass (context) => handler(context.req.raw)"],
  ["SvelteKit", { request: callOf() }, "Pass ({ request }) => handler(request)"],
  ["nobody", undefined, "Pass the Request of your server"],
])("says what to write if it is called with what %s passes", async (_server, given, advice) => {
  const { handler } = await handlerBefore();
  const rejected = handler(given as unknown as IncomingMessage & Request);
  await expect(rejected).rejects.toMatchObject({
    code: "invalid_configuration",
    message: expect.stringMatching(/^The handler was not called with a web Request\. /),
  });
  await expect(rejected).rejects.toThrow(advice);
});
