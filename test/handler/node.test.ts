import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { template } from "template-pdf";
import { createHandler } from "template-pdf/handler";
import { nodeListener } from "template-pdf/handler/node";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { handlerBefore, pdf, problemOf, secrets } from "./handling.ts";

type WithSession = IncomingMessage & { session?: { readonly user: string } };

async function serve(listener: RequestListener): Promise<() => Promise<Response>> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/api/v1/templates/invoice/generate-sync`;
  const headers = { "content-type": "application/json" };
  return () => fetch(url, { method: "POST", headers, body: "{}" });
}

describe("nodeListener()", () => {
  const { Request: OriginalRequest, Response: OriginalResponse } = globalThis;
  const templates = { invoice: template(secrets.uid) };

  it("serves a handler on node:http without changing the global Request or Response class", async () => {
    const { handler } = await handlerBefore();
    const call = await serve(nodeListener(handler));
    expect(Buffer.from(await (await call()).arrayBuffer()).equals(pdf)).toBe(true);
    expect({ Request: globalThis.Request, Response: globalThis.Response }).toEqual({
      Request: OriginalRequest,
      Response: OriginalResponse,
    });
  });

  it("passes the handler a context that middleware set on the request", async () => {
    const { client } = await handlerBefore();
    const authorize = (_request: Request, _name: string, user?: string) => user === "ada";
    const handler = createHandler({ client, templates, authorize });
    const listener = nodeListener(handler, async (incoming: WithSession) => incoming.session?.user);
    const users = ["ada", "eve"];
    const call = await serve((incoming: WithSession, outgoing) => {
      incoming.session = { user: users.shift() ?? "" };
      listener(incoming, outgoing);
    });
    const statuses = { first: (await call()).status, second: (await call()).status };
    expect(statuses).toEqual({ first: 200, second: 403 });
  });

  it("sends a problem response and logs the error if the context cannot be read", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    const { handler } = await handlerBefore();
    const error = new Error("no store");
    const call = await serve(nodeListener(handler, () => Promise.reject(error)));
    const { response: found, kind } = await problemOf(await call());
    const id = found.headers.get("x-request-id");
    const said = log.mock.calls;
    log.mockRestore();
    expect({ status: found.status, kind }).toEqual({ status: 500, kind: "server-fault" });
    expect(said).toEqual([[expect.stringContaining(`could not be read (request ${id})`), error]]);
  });
});
