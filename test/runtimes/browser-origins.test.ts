import { join } from "node:path";
import { build } from "esbuild";
import type * as face from "template-pdf";
import type * as handlerDoor from "template-pdf/handler";
import type * as nodeDoor from "template-pdf/handler/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consumer, installed } from "../package/consumer.ts";
import { pdfOf, saying, withLength } from "../support/service.ts";
import { listen, type SocketServer } from "../support/sockets.ts";
import { type Browser, launch } from "./browsers.ts";
import { ScriptedService } from "./scripted-service.ts";

/** Tests a page that calls the handler of another origin in real browsers, with CORS and cookies. */

const load = (path: string) => import(join(installed, "dist", path));
const { TemplatePdf, template }: typeof face = await load("index.js");
const { createHandler }: typeof handlerDoor = await load("handler/index.js");
const { nodeListener }: typeof nodeDoor = await load("handler/node.js");

/** The session cookie of the user of the pages. */
const session = "session=of-zoe";
const servers: Record<"listed" | "other" | "api", SocketServer> = {} as never;
let service: ScriptedService;
/** The requests that the handler sent. */
const calls: { method: string | undefined; origin: string | undefined; cookie: string | undefined }[] = [];

beforeAll(async () => {
  service = await ScriptedService.start(withLength(pdfOf(400_000)));
  const { outputFiles } = await build({
    stdin: { contents: 'export * from "template-pdf";', resolveDir: consumer },
    absWorkingDir: consumer,
    bundle: true,
    platform: "browser",
    format: "iife",
    globalName: "sdk",
    write: false,
  });
  const html = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script>${outputFiles[0]?.text}</script>`;
  const servePage = () =>
    listen((_request, response) => {
      // The cookie belongs to the host and so to every port, as for an app and its API below one domain.
      const headers = { "set-cookie": `${session}; HttpOnly; SameSite=Strict; Path=/` };
      response.writeHead(200, { "content-type": "text/html", ...headers }).end(html);
    });
  servers.listed = await servePage();
  servers.other = await servePage();
  const answer = nodeListener(
    createHandler({
      client: new TemplatePdf({ baseUrl: service.baseUrl, apiKey: "key" }),
      templates: { invoice: template("inv_2024") },
      origins: [servers.listed.origin],
      onError: () => {},
      authorize: ({ headers }) => headers.get("cookie") === session,
    }),
  );
  servers.api = await listen((request, response) => {
    const { origin, cookie } = request.headers;
    calls.push({ method: request.method, origin, cookie });
    answer(request, response);
  });
}, 300_000);

afterAll(async () => {
  for (const server of Object.values(servers)) await server.close();
  await service?.close();
}, 60_000);

describe.each(["chromium", "firefox"] as const)("a cross-origin page in %s", (name) => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launch(name);
  }, 300_000);

  afterAll(() => browser?.close(), 60_000);

  /** Requests a document in a page, and returns what the page received. */
  async function generateFrom(from: "listed" | "other"): Promise<unknown> {
    calls.length = 0;
    const page = await browser.newPage();
    await page.goto(`${servers[from].origin}/`);
    const options = { baseUrl: `${servers.api.origin}/pdf`, retry: false, credentials: "include" };
    return page.evaluate(`(async () => {
      try {
        const pdf = await new sdk.TemplatePdf(${JSON.stringify(options)}).generate("invoice", { number: "17" });
        return { bytes: (await pdf.bytes()).length, requestId: pdf.requestId, filename: pdf.filename };
      } catch ({ name, message, retryAfterMs }) {
        return { name, message, retryAfterMs };
      }
    })()`);
  }

  it("can send cookies with its request, and can read the handler's response headers", async () => {
    const requestId = expect.stringMatching(/^[\da-f-]{36}$/);
    expect(await generateFrom("listed")).toEqual({ bytes: 400_000, filename: "invoice.pdf", requestId });
    const { origin } = servers.listed;
    expect(calls).toEqual([
      { method: "OPTIONS", origin, cookie: undefined },
      { method: "POST", origin, cookie: session },
    ]);
    service.answer(saying(429, "", { "retry-after": "90" }));
    expect(await generateFrom("listed")).toMatchObject({ name: "RateLimitError", retryAfterMs: 90_000 });
  });

  it("receives an error with advice if `origins` does not list the page's origin", async () => {
    const before = service.requests.length;
    const message = expect.stringContaining("`origins`");
    expect(await generateFrom("other")).toMatchObject({ name: "ConnectionError", message });
    expect(calls.map(({ method }) => method)).toEqual(["OPTIONS"]);
    expect(service.requests).toHaveLength(before);
  });
});
