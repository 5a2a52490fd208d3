import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { knownTemplate } from "../../src/mcp/tools.ts";
import { pdfOf, saying, withLength } from "../support/service.ts";
import { connect, partsFor, textOf } from "./connect.ts";

const values = { number: "7", total: 5 };

describe("a tool call", () => {
  it("returns the path, the size and the document", async () => {
    const pdf = pdfOf(2_000);
    const { service, out, parts } = await partsFor(withLength(pdf));
    const client = await connect(parts);
    const result = await client.callTool({ name: "generate_invoice", arguments: values });
    const path = join(out, "invoice.pdf");
    expect(result.structuredContent).toEqual({ uid: "invoice", path, bytes: 2_000 });
    expect(result.content).toEqual([
      { type: "text", text: `Saved ${path} (2000 bytes).` },
      {
        type: "resource",
        resource: {
          uri: expect.stringContaining("file:///"),
          mimeType: "application/pdf",
          blob: pdf.toString("base64"),
        },
      },
    ]);
    expect(service.requests.map(({ path, body }) => [path, body])).toEqual([
      ["/api/v1/templates/invoice/generate-sync", JSON.stringify(values)],
    ]);
  });

  it("with invalid arguments is a tool error, and sends nothing", async () => {
    const { service, parts } = await partsFor();
    const client = await connect(parts);
    const result = await client.callTool({ name: "generate_invoice", arguments: { total: "secret" } });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/number is missing; total must be a number/);
    expect(JSON.stringify(result)).not.toContain("secret");
    expect(service.requests).toEqual([]);
  });

  it.each([
    [422, "invalid values", '{"detail":"total must not be negative"}', "total must not be negative"],
    [400, "a value in the message", '{"message":"unknown customer Acme-7"}', "unknown customer"],
    [401, "a wrong key", '{"message":"key-of-the-tests is revoked"}', "401"],
    [404, "an unknown template", "", "404"],
  ])(
    "that the service refuses with %i for %s is a tool error without key and values",
    async (status, _, body, reason) => {
      const { out, parts } = await partsFor(saying(status, body));
      const client = await connect(parts);
      const result = await client.callTool({ name: "generate_invoice", arguments: { number: "Acme-7" } });
      expect(result.isError).toBe(true);
      expect(textOf(result)).toContain(reason);
      expect(JSON.stringify(result)).not.toMatch(/key-of-the-tests|Acme-7/);
      expect(readdirSync(out)).toEqual([]);
    },
  );

  it("of an unknown tool is a protocol error", async () => {
    const { parts } = await partsFor();
    const client = await connect(parts);
    const call = client.callTool({ name: "generate_letter", arguments: {} });
    await expect(call).rejects.toMatchObject({
      code: -32602,
      message: 'MCP error -32602: There is no tool "generate_letter". List the tools again.',
    });
  });

  it("that is cancelled cancels its request, and leaves no file", async () => {
    const { service, out, parts } = await partsFor(({ response }) => {
      response.writeHead(200, { "content-length": "2000" });
      response.write("%PDF-1.7\n");
    });
    const client = await connect(parts);
    const controller = new AbortController();
    const { signal } = controller;
    const call = client.callTool({ name: "generate_invoice", arguments: values }, undefined, { signal });
    const { closed } = await service.request();
    controller.abort();
    await expect(call).rejects.toThrow();
    await closed;
    await parts.documents.settled();
    expect(readdirSync(out)).toEqual([]);
  });

  it("cancels its request if the client leaves", async () => {
    const { service, out, parts } = await partsFor(() => {});
    const client = await connect(parts);
    const call = client.callTool({ name: "generate_invoice", arguments: values });
    const { closed } = await service.request();
    await client.close();
    await expect(call).rejects.toThrow();
    await closed;
    await parts.documents.settled();
    expect(readdirSync(out)).toEqual([]);
  });

  it("reports progress while the service takes long, if the client wants that", async () => {
    let isReported = () => {};
    const reported = new Promise<void>((resolve) => {
      isReported = resolve;
    });
    const { parts } = await partsFor(async (received) => {
      // The service responds only after the second report.
      await reported;
      await withLength(pdfOf(2_000))(received);
    });
    const client = await connect(parts);
    const seen: { progress: number; message?: string | undefined }[] = [];
    const onprogress = (progress: (typeof seen)[number]) => {
      seen.push(progress);
      if (seen.length === 2) isReported();
    };
    await client.callTool({ name: "generate_invoice", arguments: values }, undefined, { onprogress });
    expect(seen[1]).toMatchObject({ progress: 1, message: "waiting for the service" });
  });
});

describe("the list of tools", () => {
  it("changes with the templates, and the client is notified", async () => {
    const { source, parts } = await partsFor();
    const client = await connect(parts);
    const changed = new Promise<void>((resolve) => {
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
    });
    source.replace([knownTemplate("letter", {}, "letter.json")]);
    await changed;
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["generate_letter"]);
  });

  it("is not sent to a client that has left", async () => {
    const { source, parts } = await partsFor();
    const client = await connect(parts);
    await client.close();
    expect(source.listeners.size).toBe(0);
  });

  it("has a tool for other templates only if it is allowed", async () => {
    const { service, parts } = await partsFor();
    const client = await connect({ ...parts, allowsAny: true });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      "generate_invoice",
      "generate",
    ]);
    await client.callTool({ name: "generate", arguments: { uid: "a/b", values: { x: 1 } } });
    expect(service.requests.map(({ path }) => path)).toEqual(["/api/v1/templates/a%2Fb/generate-sync"]);
  });
});

it("a server without the emulator has neither resources nor prompts", async () => {
  const { parts } = await partsFor();
  const client = await connect(parts);
  expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: true } });
  await expect(client.listResources()).rejects.toThrow();
});
