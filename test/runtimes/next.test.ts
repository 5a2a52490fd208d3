import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fakeService, type ListeningService } from "template-pdf/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesBelow } from "../package/consumer.ts";
import { javaScriptOf } from "../support/compile.ts";
import { outputOf, type RunningProgram, startProgram } from "../support/programs.ts";
import { pdfOf, withLength } from "../support/service.ts";
import { type Browser, launch, openPage } from "./browsers.ts";
import { nextVersion } from "./bundlers/built.ts";
import { secrets, testContract } from "./hosts/contract.ts";
import { pdf, snippets, usual } from "./hosts/hosts.ts";
import { useWorkspace } from "./mocks/workspace.ts";
import { ScriptedService } from "./scripted-service.ts";

/** Tests Next.js for docs/reports/bundlers.md, and the handler with the code of docs/guides/handler.md. */

const next = "../node_modules/next/dist/bin/next";

/** A message of the client, which identifies chunks that contain it. */
const ofClient = /this runtime has no undici\. Pass a `fetch` instead/;

/** Warnings of Next.js about every app with a route for the edge. */
const aboutTheEdge =
  /The Edge Runtime is deprecated|Using edge runtime on a page currently disables static generation/;

/** A route, or a server component, that generates a document. */
const route = (settings: string) => `
  import { sizeOf } from "../../pdfs.js";
  ${settings}
  export const GET = async () => new Response(await sizeOf());`;
const page = (settings: string) => `
  import { sizeOf } from "../pdfs.js";
  ${settings}
  export default async function Page() {
    return <p>{await sizeOf()}</p>;
  }`;

const guideRoute = "app/api/pdf/[...path]/route.ts";

const files = {
  [guideRoute.replace(/ts$/, "js")]: javaScriptOf(snippets.get(guideRoute) ?? "none"),
  "lib/pdf.js": javaScriptOf(pdf),
  // Uses JavaScript, because Next.js installs packages for TypeScript by itself, but not in CI.
  "jsconfig.json": '{ "compilerOptions": { "paths": { "@/*": ["./*"] } } }',
  "package.json": '{ "private": true }',
  // Each bundler builds into its own folder.
  "next.config.mjs": "export default { distDir: process.env.DIST_FOLDER };",
  "app/pdfs.js": `
    import { TemplatePdf } from "template-pdf";
    export const pdfs = new TemplatePdf({ baseUrl: process.env.SERVICE, apiKey: process.env.SERVICE_KEY });
    export const sizeOf = async () => (await pdfs.generate("invoice", { total: "1" }).bytes()).length + " bytes";`,
  "app/layout.jsx": `
    export default function Layout({ children }) {
      return <html lang="en"><body>{children}</body></html>;
    }`,
  // Rendered during the build.
  "app/page.jsx": `
    import { Invoice } from "./invoice.jsx";
    export default function Page() {
      return <Invoice />;
    }`,
  "app/invoice.jsx": `
    "use client";
    import { useState } from "react";
    import { ApiError, TemplatePdf } from "template-pdf";
    import { objectUrl } from "template-pdf/browser";
    const pdfs = new TemplatePdf({ baseUrl: "/api/invoices" });
    export function Invoice() {
      const [said, setSaid] = useState("");
      const generate = (name) =>
        objectUrl(pdfs.generate(name, { total: "of the page" }))
          .then(({ url }) => url)
          .catch((error) => (error instanceof ApiError ? "status " + error.status : String(error)))
          .then(setSaid);
      return <div>
        <button id="invoice" type="button" onClick={() => generate("invoice")}>Generate</button>
        <button id="nothing" type="button" onClick={() => generate("nothing")}>Generate nothing</button>
        <output>{said}</output>
      </div>;
    }`,
  "app/lazily/page.jsx": `
    "use client";
    import { useState } from "react";
    import { objectUrl } from "template-pdf/browser";
    let pdfs;
    const load = async () => {
      const { TemplatePdf } = await import("template-pdf");
      return new TemplatePdf({ baseUrl: "/api/invoices" });
    };
    export default function Page() {
      const [url, setUrl] = useState("");
      const generate = async () => {
        pdfs ??= load();
        setUrl((await objectUrl((await pdfs).generate("invoice", { total: "of the click" }))).url);
      };
      return <div>
        <button type="button" onClick={generate}>Generate</button>
        <output>{url}</output>
      </div>;
    }`,
  "app/api/invoices/[...path]/route.js": `
    import { template } from "template-pdf";
    import { createHandler } from "template-pdf/handler";
    import { pdfs } from "../../../pdfs.js";
    const anything = { "~standard": { version: 1, vendor: "app", validate: (value) => ({ value }) } };
    const templates = { invoice: template("invoice", anything) };
    export const POST = createHandler({ client: pdfs, templates, authorize: () => true });`,
  "app/ahead/page.jsx": page(""),
  "app/revalidated/page.jsx": page("export const revalidate = 3600;"),
  "pages/legacy/index.jsx": `
    import { sizeOf } from "../../app/pdfs.js";
    export const getServerSideProps = async () => ({ props: { size: await sizeOf() } });
    export default function Page({ size }) {
      return <p>{size}</p>;
    }`,
  "app/api/node/route.js": route("export const revalidate = 3600;"),
  "app/api/edge/route.js": route('export const runtime = "edge";'),
  "app/api/kept/route.js": route(
    'export const dynamic = "force-dynamic"; export const fetchCache = "force-cache";',
  ),
};

const workspace = useWorkspace(`next@${nextVersion}`, "react@19.3.1", "react-dom@19.3.1", "zod@4.6.7");
const service = fakeService({ templates: ["invoice"] });
const cwd = join(workspace.folder, "app");
let chromium: Browser;
let listening: ListeningService;
/** The service of the handler. */
let scripted: ScriptedService;

beforeAll(async () => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text.trimStart());
  }
  listening = await service.listen();
  scripted = await ScriptedService.start(withLength(pdfOf(2_000)));
  chromium = await launch("chromium");
}, 180_000);

afterAll(async () => {
  await chromium?.close();
  await listening?.close();
  await scripted?.close();
}, 60_000);

describe.each(["turbopack", "webpack"])("a Next.js app built with %s", (bundler) => {
  let log: string;
  let callsOfBuild: number;
  let serving: RunningProgram;

  beforeAll(async () => {
    const env = {
      SERVICE: listening.baseUrl,
      SERVICE_KEY: service.apiKey,
      TEMPLATE_PDF_BASE_URL: scripted.baseUrl,
      TEMPLATE_PDF_API_KEY: secrets.key,
      DIST_FOLDER: `built-by-${bundler}`,
      NEXT_TELEMETRY_DISABLED: "1",
    };
    const before = service.calls.length;
    log = await outputOf(process.execPath, [next, "build", `--${bundler}`], { cwd, env });
    callsOfBuild = service.calls.length - before;
    const ready = /localhost:(\d+)[\s\S]*Ready in/;
    serving = await startProgram(process.execPath, [next, "start", "--port", "0"], { cwd, env, ready });
  }, 180_000);

  afterAll(() => serving?.stop());

  if (bundler === "turbopack") {
    describe("with the handler", () => {
      testContract({ ...usual, sendsLength: false }, () => ({ host: serving, service: scripted }));
    });
  }

  it("is built without a warning about the package, and generates no document meanwhile", () => {
    const warnings = log.split("\n").filter((line) => /^\s*⚠|⨯|\b(?:warning|error)\b/i.test(line));
    expect(warnings.filter((line) => !aboutTheEdge.test(line))).toEqual([]);
    expect(callsOfBuild).toBe(0);
  });

  it("loads the browser implementation in a page, without undici and the key", () => {
    const chunks = join(cwd, `built-by-${bundler}`, "static");
    const texts = filesBelow(chunks)
      .filter(({ path }) => path.endsWith(".js"))
      .map(({ path }) => readFileSync(join(chunks, path), "utf8"));
    const holding = (pattern: RegExp) => texts.filter((text) => pattern.test(text)).length;
    expect(holding(ofClient)).toBeGreaterThan(0);
    expect(holding(/undici\/lib|undici\.globalDispatcher|["'`]node:/)).toBe(0);
    for (const secret of [service.apiKey, listening.baseUrl])
      expect(texts.filter((text) => text.includes(secret))).toEqual([]);
  });

  it.each([
    ["a server component", "/ahead", 2],
    ["a server component with `revalidate`", "/revalidated", 2],
    ["a page of the pages router", "/legacy", 2],
    ["a route with `revalidate`", "/api/node", 2],
    ["a route for the edge", "/api/edge", 2],
    ["a route that caches every fetch", "/api/kept", 1],
  ])("sends for two requests of %s (%s) this many requests: %i", async (_what, path, count) => {
    const before = service.calls.length;
    for (let call = 0; call < 2; call++)
      expect(await (await fetch(`${serving.origin}${path}`)).text()).toMatch(/[1-9]\d{2,} bytes/);
    expect(service.calls.length - before).toBe(count);
  });

  it("generates in a client component, whose module creates the client, and rejects unknown templates", async () => {
    const before = service.calls.length;
    const { page, complaints } = await openPage(chromium, serving.origin);
    await page.click("#invoice");
    await page.waitForFunction(`/^blob:/.test(document.querySelector("output").textContent)`);
    const call = { uid: "invoice", values: { total: "of the page" } };
    expect(service.calls.slice(before)).toMatchObject([call]);
    await page.click("#nothing");
    await page.waitForFunction(`document.querySelector("output").textContent === "status 404"`);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("loads the client of a page that imports it lazily at the first click", async () => {
    const before = service.calls.length;
    const loaded: Promise<string>[] = [];
    const { page, complaints } = await openPage(chromium, "about:blank");
    page.on("request", (request) => {
      if (request.url().endsWith(".js")) loaded.push(fetch(request.url()).then((script) => script.text()));
    });
    const haveClient = async () => (await Promise.all(loaded)).filter((text) => ofClient.test(text)).length;
    await page.goto(`${serving.origin}/lazily`, { waitUntil: "networkidle0" });
    expect([loaded.length > 0, await haveClient()]).toEqual([true, 0]);
    await page.click("button");
    await page.waitForFunction(`/^blob:/.test(document.querySelector("output").textContent)`);
    expect(await haveClient()).toBe(1);
    expect(service.calls.slice(before)).toMatchObject([{ values: { total: "of the click" } }]);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
