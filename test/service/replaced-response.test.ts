import { getRequestListener } from "@hono/node-server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createEndpoint } from "../../src/service/endpoint.ts";

/** An adapter may replace the global `Response` with its own class, which loses headers that are set too early. */

const { Request: ownRequest, Response: ownResponse } = globalThis;

beforeAll(() => {
  getRequestListener(() => new Response());
  expect(Response).not.toBe(ownResponse);
});

afterAll(() => {
  Object.assign(globalThis, { Request: ownRequest, Response: ownResponse });
});

it("a response still has its x-request-id after its body was read", async () => {
  const produce = () => new Response("made elsewhere", { headers: { "content-type": "text/plain" } });
  const endpoint = createEndpoint({ authorize: () => undefined, produce });
  const headers = { "content-type": "application/json" };
  const url = "http://127.0.0.1/api/v1/templates/invoice/generate-sync";
  const answer = await endpoint(new Request(url, { method: "POST", headers, body: "{}" }));
  expect(await answer.text()).toBe("made elsewhere");
  expect(answer.headers.get("x-request-id")).toMatch(/^[\da-f-]{36}$/);
});
