import { once } from "node:events";
import { readdirSync } from "node:fs";
import { request } from "node:http";
import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveHttp, serveStdio } from "../../src/mcp/serve.ts";
import { createServer, type ServerParts } from "../../src/mcp/server.ts";
import { eventuallyEquals } from "../support/eventually.ts";
import type { Answer } from "../support/service.ts";
import { partsFor } from "./connect.ts";

const token = "token-of-the-tests";
const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};
const headers = {
  authorization: `Bearer ${token}`,
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

/** Starts a server over HTTP that closes when the test has finished. */
async function serve(answer?: Answer, more: Partial<ServerParts> = {}) {
  const set = await partsFor(answer, more);
  const http = await serveHttp(() => createServer(set.parts), { port: 0, token });
  onTestFinished(() => http.close());
  const post = (body: unknown, others: Record<string, string> = {}) =>
    fetch(http.url, { method: "POST", headers: { ...headers, ...others }, body: JSON.stringify(body) });
  return { ...set, url: http.url, post };
}

async function connectTo(url: string): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport as Transport);
  onTestFinished(() => client.close());
  return client;
}

/** Sends a request with headers that `fetch` does not allow. Returns the status. */
async function statusOf(url: string, given: Record<string, string>): Promise<number | undefined> {
  const sent = request(url, { method: "POST", headers: { ...headers, ...given } });
  sent.end(JSON.stringify(initialize));
  const [response] = await once(sent, "response");
  response.resume();
  sent.destroy();
  return response.statusCode;
}

describe("the server over HTTP", () => {
  it("generates documents for a client with the token", async () => {
    const { url } = await serve();
    const client = await connectTo(url);
    const result = await client.callTool({ name: "generate_invoice", arguments: { number: "7" } });
    expect(result.structuredContent).toMatchObject({ uid: "invoice", bytes: 2_000 });
  });

  it.each([
    ["no token", { authorization: "" }, 401],
    ["a wrong token", { authorization: "Bearer wrong" }, 401],
    ["the token in another scheme", { authorization: `Basic ${token}` }, 401],
    ["another page as its origin", { origin: "http://evil.example" }, 403],
    ["a page of another port as its origin", { origin: "http://127.0.0.1:1" }, 403],
    ["the origin null", { origin: "null" }, 403],
    ["another host name", { host: "evil.example" }, 421],
  ])("refuses a request with %s", async (_, given, status) => {
    const { url } = await serve();
    expect(await statusOf(url, given)).toBe(status);
  });

  it("accepts its own origin", async () => {
    const { url } = await serve();
    expect(await statusOf(url, { origin: new URL(url).origin })).toBe(200);
  });

  it("refuses other paths, unknown sessions, and messages that are too large", async () => {
    const { url, post } = await serve();
    expect((await fetch(new URL("/", url), { headers })).status).toBe(404);
    expect(
      (await post({ jsonrpc: "2.0", id: 1, method: "ping" }, { "mcp-session-id": "unknown" })).status,
    ).toBe(404);
    expect((await post({ jsonrpc: "2.0", id: 1, method: "ping" })).status).toBe(400);
    expect((await post({ ...initialize, more: "x".repeat(5_000_000) })).status).toBe(413);
  });

  it("ends the session that was not used for the longest time if there are too many", async () => {
    const { source, post } = await serve();
    const ping = (id: string) => post({ jsonrpc: "2.0", id: 2, method: "ping" }, { "mcp-session-id": id });
    const open = async () => {
      const response = await post(initialize);
      await response.text();
      return response.headers.get("mcp-session-id") ?? "";
    };
    const ids: string[] = [];
    for (let count = 0; count < 32; count++) ids.push(await open());
    const [first = "", second = ""] = ids;
    expect((await ping(first)).status).toBe(200);
    ids.push(await open());
    expect((await ping(second)).status).toBe(404);
    expect((await ping(first)).status).toBe(200);
    expect(source.listeners.size).toBe(32);
  });

  it("ends a session that the client deletes", async () => {
    const { source, url, post } = await serve();
    const response = await post(initialize);
    await response.text();
    const id = response.headers.get("mcp-session-id") ?? "";
    const given = { ...headers, "mcp-session-id": id };
    expect((await fetch(url, { method: "DELETE", headers: given })).status).toBe(200);
    expect(source.listeners.size).toBe(0);
    expect((await post({ jsonrpc: "2.0", id: 2, method: "ping" }, { "mcp-session-id": id })).status).toBe(
      404,
    );
  });

  it("keeps no session of a request that does not start one", async () => {
    const { source, post } = await serve();
    await (await post({ jsonrpc: "2.0", id: 1, method: "tools/list" })).text();
    expect(source.listeners.size).toBe(0);
  });

  it("cancels a document if the connection of its call is closed, and leaves no file", async () => {
    const { service, out, parts, post, url } = await serve(({ response }) => {
      response.writeHead(200, { "content-length": "2000" });
      response.write("%PDF-1.7\n");
    });
    const opened = await post(initialize);
    await opened.text();
    const leaving = new AbortController();
    const call = { name: "generate_invoice", arguments: { number: "7" } };
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: call }),
      signal: leaving.signal,
    });
    expect(response.status).toBe(200);
    const { closed } = await service.request();
    leaving.abort();
    await closed;
    await parts.documents.settled();
    expect(readdirSync(out)).toEqual([]);
  });
});

/** Starts a server on streams, and returns the messages that it writes. */
async function start(answer?: Answer) {
  const set = await partsFor(answer);
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const controller = new AbortController();
  const ended = serveStdio(createServer(set.parts), { stdin, stdout }, controller.signal);
  let written = "";
  stdout.on("data", (chunk: Buffer) => {
    written += chunk.toString();
  });
  const send = (message: object) => stdin.write(`${JSON.stringify(message)}\n`);
  const messages = () =>
    written
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { ...set, stdin, controller, ended, send, messages };
}

describe("the server over standard input and output", () => {
  it("writes only protocol messages", async () => {
    const { send, messages, stdin, ended } = await start();
    stdin.write("this is not a message\n");
    send(initialize);
    send({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    await eventuallyEquals(
      () => messages().map(({ jsonrpc, id }) => [jsonrpc, id]),
      [
        ["2.0", 1],
        ["2.0", 2],
      ],
    );
    stdin.end();
    await ended;
  });

  it("ends with standard input, cancels what was requested, and leaves no file", async () => {
    const { service, out, parts, send, stdin, ended } = await start(({ response }) => {
      response.writeHead(200, { "content-length": "2000" });
      response.write("%PDF-1.7\n");
    });
    send(initialize);
    send({
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "generate_invoice", arguments: { number: "7" } },
    });
    const { closed } = await service.request();
    stdin.end();
    await Promise.all([ended, closed]);
    await parts.documents.settled();
    expect(readdirSync(out)).toEqual([]);
  });

  it("ends when the user stops it", async () => {
    const { controller, ended } = await start();
    controller.abort();
    await ended;
  });

  it("ends with an error if a message is too large", async () => {
    const { stdin, ended } = await start();
    stdin.write("x".repeat(5_000_000));
    await expect(ended).rejects.toThrow("a message of more than 4194304 bytes");
  });
});
