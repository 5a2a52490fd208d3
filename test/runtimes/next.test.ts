import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nextVersion } from "../../scripts/runtimes.mjs";
import { filesBelow } from "../package/consumer.ts";
import { javaScriptOf } from "../support/compile.ts";
import { outputOf, type RunningProgram, startProgram } from "../support/programs.ts";
import { pdfOf, withLength } from "../support/service.ts";
import { type Browser, launch, openPage } from "./browsers.ts";
import { secrets, testContract } from "./hosts/contract.ts";
import { pdf, snippets, usual } from "./hosts/hosts.ts";
import { useWorkspace } from "./mocks/workspace.ts";
import { ScriptedService } from "./scripted-service.ts";
import { testServedExample } from "./served-example.ts";

/** Tests Next.js for docs/reports/bundlers.md, the handler with the code of docs/guides/handler.md, and examples/next. */

const next = "../node_modules/next/dist/bin/next";

/** A message of the client, which identifies chunks that contain it. */
const ofClient = /this runtime has no undici\. Pass a `fetch` instead/;

/** Warnings of Next.js about every app with a route for the edge. */
const aboutTheEdge =
  /The Edge Runtime is deprecated|Using edge runtime on a page currently disables static generation/;

/** A route that generates a document. */
const route = (settings: string) => `
  import { sizeOf } from "../../pdfs.js";
  ${settings}
  export const GET = async () => new Response(await sizeOf());`;
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
    const { TEMPLATE_PDF_BASE_URL: baseUrl, TEMPLATE_PDF_API_KEY: apiKey } = process.env;
    export const pdfs = new TemplatePdf({ baseUrl, apiKey });
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
  "app/api/invoices/[...path]/route.js": `
    import { template } from "template-pdf";
    import { createHandler } from "template-pdf/handler";
    import { pdfs } from "../../../pdfs.js";
    const templates = { invoice: template("invoice") };
    export const POST = createHandler({ client: pdfs, templates, authorize: () => true });`,
  "app/ahead/page.jsx": `
    import { sizeOf } from "../pdfs.js";
    export default async function Page() {
      return <p>{await sizeOf()}</p>;
    }`,
  "app/api/node/route.js": route("export const revalidate = 3600;"),
  "app/api/edge/route.js": route('export const runtime = "edge";'),
};

const workspace = useWorkspace();
let exampleFolder: string;
const cwd = join(workspace.folder, "app");
let chromium: Browser;
let service: ScriptedService;

beforeAll(async () => {
  const versions = [`next@${nextVersion}`, "react@19.3.1", "react-dom@19.3.1", "zod@4.6.7"];
  [exampleFolder = ""] = await workspace.installExamples(["next"], versions);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text.trimStart());
  }
  service = await ScriptedService.start(withLength(pdfOf(2_000)));
  chromium = await launch("chromium");
}, 600_000);

afterAll(async () => {
  await chromium?.close();
  await service?.close();
}, 60_000);

describe.each(["turbopack", "webpack"])("a Next.js app with %s", (bundler) => {
  let log: string;
  let callsOfBuild: number;
  let serving: RunningProgram;

  beforeAll(async () => {
    const env = {
      TEMPLATE_PDF_BASE_URL: service.baseUrl,
      TEMPLATE_PDF_API_KEY: secrets.key,
      DIST_FOLDER: `built-by-${bundler}`,
      NEXT_TELEMETRY_DISABLED: "1",
    };
    const before = service.requests.length;
    log = await outputOf(process.execPath, [next, "build", `--${bundler}`], { cwd, env });
    callsOfBuild = service.requests.length - before;
    const ready = /localhost:(\d+)[\s\S]*Ready in/;
    serving = await startProgram(process.execPath, [next, "start", "--port", "0"], { cwd, env, ready });
  }, 300_000);

  afterAll(() => serving?.stop());

  if (bundler === "turbopack")
    testContract({ ...usual, sendsLength: false }, () => ({ host: serving, service }));

  it("builds without warnings, and its pages contain neither undici nor the API key", () => {
    const warnings = log.split("\n").filter((line) => /^\s*⚠|⨯|\b(?:warning|error)\b/i.test(line));
    expect(warnings.filter((line) => !aboutTheEdge.test(line))).toEqual([]);
    expect(callsOfBuild).toBe(0);
    const chunks = join(cwd, `built-by-${bundler}`, "static");
    const texts = filesBelow(chunks)
      .filter(({ path }) => path.endsWith(".js"))
      .map(({ path }) => readFileSync(join(chunks, path), "utf8"));
    const holding = (pattern: RegExp) => texts.filter((text) => pattern.test(text)).length;
    expect(holding(ofClient)).toBeGreaterThan(0);
    expect(holding(/undici\/lib|undici\.globalDispatcher|["'`]node:/)).toBe(0);
    for (const secret of [secrets.key, service.baseUrl])
      expect(texts.filter((text) => text.includes(secret))).toEqual([]);
  });

  it.each([
    ["a server component", "/ahead"],
    ["a route with `revalidate`", "/api/node"],
    ["an edge route", "/api/edge"],
  ])("calls the service once for each request to %s (%s)", async (_what, path) => {
    const before = service.requests.length;
    for (let call = 0; call < 2; call++)
      expect(await (await fetch(`${serving.origin}${path}`)).text()).toMatch(/[1-9]\d{2,} bytes/);
    expect(service.requests.length - before).toBe(2);
  });

  it("generates a document in a client component, and rejects unknown templates", async () => {
    const before = service.requests.length;
    const { page, complaints } = await openPage(chromium, serving.origin);
    await page.click("#invoice");
    await page.waitForFunction(`/^blob:/.test(document.querySelector("output").textContent)`);
    expect(service.requests.slice(before).map(({ body }) => JSON.parse(body))).toEqual([
      { total: "of the page" },
    ]);
    await page.click("#nothing");
    await page.waitForFunction(`document.querySelector("output").textContent === "status 404"`);
    expect(complaints).toEqual([]);
    await page.close();
  });
});

describe("examples/next", () => {
  testServedExample(
    () => exampleFolder,
    async (cwd, env) => expect(await outputOf("npm", ["run", "build"], { cwd, env })).not.toMatch(/⚠|⨯/),
  );
});
