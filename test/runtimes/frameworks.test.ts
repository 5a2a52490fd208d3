import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { nodeOf } from "../../scripts/runtimes.mjs";
import { type FakeService, fakeService } from "../../src/testing/fake-service.ts";
import { faults } from "../../src/testing/faults.ts";
import { filesIn } from "../support/blocks-of.ts";
import { javaScriptOf } from "../support/compile.ts";
import { type RunningProgram, startProgram } from "../support/programs.ts";
import { useWorkspace } from "./mocks/workspace.ts";

/** What web frameworks show to visitors, and the Fastify server of docs/guides/recipes.md. */

const workspace = useWorkspace(
  ...[
    "fastify@5.12.8",
    "koa@3.3.0",
    "h3@1.15.11",
    "hono@4.13.19",
    "@hono/node-server@2.1.8",
    "express@5.3.0",
  ],
  ...[
    "@nestjs/core@11.2.10",
    "@nestjs/common@11.2.10",
    "@nestjs/platform-express@11",
    "reflect-metadata",
    "rxjs",
  ],
);

/** Routes that pass an error of the client to the framework. `fail()` rejects with it. */
const servers = {
  fastify: `
    import Fastify from "fastify";
    const app = Fastify();
    app.get("/", fail);
    await app.listen({ port: 0, host: "127.0.0.1" });
    console.log(app.server.address().port);`,
  koa: `
    import Koa from "koa";
    const app = new Koa();
    app.use(fail);
    const server = app.listen(0, "127.0.0.1", () => console.log(server.address().port));`,
  express: `
    import express from "express";
    const app = express();
    app.set("env", "production");
    app.get("/", fail);
    const server = app.listen(0, "127.0.0.1", () => console.log(server.address().port));`,
  hono: `
    import { serve } from "@hono/node-server";
    import { Hono } from "hono";
    const app = new Hono();
    app.get("/", fail);
    serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => console.log(port));`,
  h3: `
    import { createServer } from "node:http";
    import { createApp, defineEventHandler, toNodeListener } from "h3";
    const app = createApp();
    app.use(defineEventHandler(fail));
    const server = createServer(toNodeListener(app)).listen(0, "127.0.0.1", () => console.log(server.address().port));`,
  nest: `
    import "reflect-metadata";
    import { Controller, Get, Module } from "@nestjs/common";
    import { NestFactory } from "@nestjs/core";
    class Invoices { get() { return fail(); } }
    Controller()(Invoices);
    Get()(Invoices.prototype, "get", Object.getOwnPropertyDescriptor(Invoices.prototype, "get"));
    class App {}
    Module({ controllers: [Invoices] })(App);
    const app = await NestFactory.create(App, { logger: false });
    await app.listen(0, "127.0.0.1");
    console.log(app.getHttpServer().address().port);`,
};

/** Runs a program with the environment of a fake service until the test has finished. */
async function start(code: string): Promise<{ service: FakeService; running: RunningProgram }> {
  const service = fakeService({ templates: ["invoice"] });
  const listening = await service.listen();
  onTestFinished(() => listening.close());
  writeFileSync(join(workspace.folder, "server.mjs"), code);
  const running = await startProgram(nodeOf(22), ["server.mjs"], {
    cwd: workspace.folder,
    env: {
      NODE_ENV: "production",
      TEMPLATE_PDF_BASE_URL: listening.baseUrl,
      TEMPLATE_PDF_API_KEY: service.apiKey,
    },
    ready: /^(?:.*http:\/\/127\.0\.0\.1:)?(\d+)\b.*$/m,
  });
  onTestFinished(() => running.stop());
  return { service, running };
}

const client = `
  import { TemplatePdf } from "template-pdf";
  const pdfs = new TemplatePdf({ retry: false });
  const fail = async () => { await pdfs.generate("invoice", {}).bytes(); };
`;

describe("an error of the client that reaches a web framework", () => {
  it.each<[name: keyof typeof servers, status: number, status401: number, showsMessage: boolean]>([
    ["nest", 502, 502, false],
    ["h3", 502, 502, false],
    ["fastify", 502, 502, true],
    ["hono", 500, 500, false],
    ["express", 502, 401, false],
    ["koa", 502, 401, false],
  ])(
    "is shown by %s with %d, or with %d if the key is wrong",
    async (name, status, status401, showsMessage) => {
      const { service, running } = await start(client + servers[name]);
      for (const [fault, expected] of [
        [faults.reset(), status],
        [faults.unauthorized(), status401],
      ] as const) {
        service.reset();
        service.fail(fault);
        const response = await fetch(running.origin);
        expect(response.status).toBe(expected);
        const text = await response.text();
        expect(/for template|API key/.test(text)).toBe(showsMessage);
        expect(text).not.toContain(service.apiKey);
      }
    },
  );
});

describe("the Fastify server in docs/guides/recipes.md", () => {
  const guide = readFileSync(new URL("../../docs/guides/recipes.md", import.meta.url), "utf8");
  const recipe = javaScriptOf(filesIn(guide).get("fastify.ts") ?? expect.fail("no fastify.ts"))
    .replace("new TemplatePdf()", "new TemplatePdf({ retry: false })")
    .replace("port: 3000", "port: 0");

  it("sends a PDF, and a message for visitors if it fails", async () => {
    const { service, running } = await start(recipe);
    const response = await fetch(`${running.origin}/invoices/17`);
    expect(response.headers.get("content-type")).toBe("application/pdf");
    expect(response.headers.get("content-length")).toMatch(/^\d+$/);
    expect(await response.text()).toMatch(/^%PDF-.*%%EOF\n$/s);
    service.fail(faults.unauthorized());
    const failed = await fetch(`${running.origin}/invoices/17`);
    expect(failed.status).toBe(502);
    expect(await failed.json()).toEqual({ message: "The invoice could not be generated. Try again later." });
    await running.prints(/authentication_failed/);
  });

  it("cancels the call and logs no error if the browser disconnects", async () => {
    const { service, running } = await start(recipe);
    service.fail(faults.stall({ afterBytes: 0 }));
    const leaving = new AbortController();
    const visit = fetch(`${running.origin}/invoices/17`, { signal: leaving.signal });
    await service.waitForCall(1);
    leaving.abort();
    await expect(visit).rejects.toThrow();
    await sleep(300);
    expect((await fetch(`${running.origin}/unknown`)).status).toBe(404);
    // The log is in order, but arrives in its own time.
    await running.prints(/\/unknown[\s\S]*"statusCode":404/);
    expect(running.printed).not.toMatch(/"level":50|AbortError/);
  });
});
