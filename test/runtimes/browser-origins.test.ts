import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { build } from "esbuild";
import type * as face from "template-pdf";
import type * as handlerDoor from "template-pdf/handler";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consumer, installed } from "../package/consumer.ts";
import { pdfOf, saying, withLength } from "../support/service.ts";
import { listen, type SocketServer } from "../support/sockets.ts";
import { type Browser, launch, type Page } from "./browsers.ts";
import { ScriptedService } from "./scripted-service.ts";

/** Tests a page that calls the handler of another origin in real browsers, with CORS and cookies. */

const { TemplatePdf, template } = (await import(join(installed, "dist/index.js"))) as typeof face;
const { createHandler } = (await import(join(installed, "dist/handler/index.js"))) as typeof handlerDoor;

/** The session cookie of the user of the pages. */
const session = "session-of-zoe";

let service: ScriptedService;
const servers: Record<"listed" | "other" | "api", SocketServer> = {} as never;
/** The requests of the handler: methods, and the names of headers that require a preflight request. */
const calls: { method: string; origin: string | undefined; cookie: string | undefined }[] = [];

beforeAll(async () => {
  service = await ScriptedService.start(withLength(pdfOf(400_000)));
  const { outputFiles } = await build({
    stdin: {
      contents: 'export * from "template-pdf"; export * from "template-pdf/browser";',
      resolveDir: consumer,
    },
    absWorkingDir: consumer,
    bundle: true,
    platform: "browser",
    format: "iife",
    globalName: "sdk",
    write: false,
  });
  const script = outputFiles[0]?.text ?? "";
  const servePage = () =>
    listen((request, response) => {
      const isScript = request.url === "/sdk.js";
      response.setHeader("content-type", isScript ? "text/javascript" : "text/html; charset=utf-8");
      // The cookie belongs to the host and so to every port, as for an app and its API below one domain.
      response.setHeader("set-cookie", `session=${session}; HttpOnly; SameSite=Strict; Path=/`);
      response.end(
        isScript
          ? script
          : '<!doctype html><title>A page</title><link rel="icon" href="data:,"><script src="/sdk.js"></script>',
      );
    });
  servers.listed = await servePage();
  servers.other = await servePage();
  const handler = createHandler({
    client: new TemplatePdf({ baseUrl: service.baseUrl, apiKey: "key" }),
    templates: { invoice: template("inv_2024") },
    origins: [servers.listed.origin],
    onError: () => {},
    authorize: ({ headers }) => headers.get("cookie") === `session=${session}`,
  });
  const answer = getRequestListener(handler, { overrideGlobalObjects: false });
  servers.api = await listen((request, response) => {
    const { origin, cookie } = request.headers;
    calls.push({ method: request.method ?? "", origin, cookie });
    void answer(request, response);
  });
}, 120_000);

afterAll(async () => {
  for (const server of Object.values(servers)) await server.close();
  await service.close();
}, 60_000);

describe.each(["chromium", "firefox"] as const)("a page of another origin in %s", (name) => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await launch(name);
    page = await browser.newPage();
  }, 60_000);

  afterAll(() => browser.close());

  /** Requests a document in the page, and returns what the page received. */
  async function ask(from: "listed" | "other", options: object): Promise<Record<string, unknown>> {
    calls.length = 0;
    await page.goto(`${servers[from].origin}/`);
    const client = JSON.stringify({ baseUrl: `${servers.api.origin}/pdf`, retry: false, ...options });
    const got = await page.evaluate(`(async () => {
      try {
        const pdf = await new sdk.TemplatePdf(${client}).generate("invoice", { number: "2026-0117" });
        const { requestId, filename, contentLength } = pdf;
        return JSON.stringify({ bytes: (await pdf.bytes()).length, requestId, filename, contentLength });
      } catch (error) {
        return JSON.stringify({ name: error.name, message: error.message, status: error.status, retryAfterMs: error.retryAfterMs });
      }
    })()`);
    return JSON.parse(String(got));
  }

  it("receives its document with the cookies of its user, and reads the headers of the handler", async () => {
    expect(await ask("listed", { credentials: "include" })).toEqual({
      bytes: 400_000,
      // No `contentLength`, because a page cannot see there whether the response was compressed.
      filename: "invoice.pdf",
      requestId: expect.stringMatching(/^[\da-f-]{36}$/),
    });
    expect(calls).toEqual([
      { method: "OPTIONS", origin: servers.listed.origin, cookie: undefined },
      { method: "POST", origin: servers.listed.origin, cookie: `session=${session}` },
    ]);
  });

  it("reads Retry-After", async () => {
    service.answer(saying(429, "", { "retry-after": "90" }));
    expect(await ask("listed", { credentials: "include" })).toMatchObject({
      name: "RateLimitError",
      retryAfterMs: 90_000,
    });
  });

  it("is refused if it is not listed, and the error names `origins`", async () => {
    const before = service.requests.length;
    const refused = await ask("other", { credentials: "include" });
    expect(refused).toMatchObject({
      name: "ConnectionError",
      message: expect.stringContaining("`origins`"),
    });
    expect(refused["message"]).toContain(servers.other.origin);
    expect(calls.map(({ method }) => method)).toEqual(["OPTIONS"]);
    expect(service.requests).toHaveLength(before);
  });
});
