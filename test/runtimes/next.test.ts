import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fakeService, type ListeningService } from "template-pdf/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesBelow } from "../package/consumer.ts";
import { type RunningProgram, runToEnd, startProgram } from "../support/programs.ts";
import { type Browser, launch } from "./browsers.ts";
import { openPage } from "./bundlers/open-page.ts";
import { nextVersion } from "./bundlers/versions.ts";
import { Workspace } from "./mocks/workspace.ts";

const app = fileURLToPath(new URL("bundlers/next-app", import.meta.url));
const next = "../node_modules/next/dist/bin/next";

/** What Next.js says of every app with a route for the edge, whatever that route does. */
const aboutTheEdge = [
  /The Edge Runtime is deprecated/,
  /Using edge runtime on a page currently disables static generation/,
];

const workspace = new Workspace();
const service = fakeService({ templates: ["inv_2024"] });
const key = service.apiKey;
let folder: string;
let chromium: Browser;
let listening: ListeningService;

beforeAll(async () => {
  await workspace.install(`next@${nextVersion}`, "react@19.3.1", "react-dom@19.3.1");
  folder = join(workspace.folder, "app");
  cpSync(app, folder, { recursive: true });
  listening = await service.listen();
  chromium = await launch("chromium");
}, 180_000);

afterAll(async () => {
  await chromium?.close();
  await listening?.close();
  workspace.remove();
}, 60_000);

describe.each(["turbopack", "webpack"])("an app of Next.js, built by %s,", (bundler) => {
  const settings = () => ({
    SERVICE: listening.baseUrl,
    SERVICE_KEY: key,
    DIST_FOLDER: `built-by-${bundler}`,
    NEXT_TELEMETRY_DISABLED: "1",
  });
  let log: string;
  let callsOfBuild: number;
  let serving: RunningProgram;

  beforeAll(async () => {
    const before = service.calls.length;
    const args = [next, "build", `--${bundler}`];
    log = (await runToEnd(process.execPath, args, { cwd: folder, env: settings() })).printed;
    callsOfBuild = service.calls.length - before;
    serving = await startProgram(process.execPath, [next, "start", "--port", "0"], {
      cwd: folder,
      env: settings(),
      ready: /localhost:(\d+)[\s\S]*Ready in/,
    });
  }, 180_000);

  afterAll(() => serving?.stop());

  it("is built without a warning of ours, and without asking for a document", () => {
    const warnings = log.split("\n").filter((line) => /^\s*⚠|⨯|\b(?:warning|error)\b/i.test(line));
    const ours = warnings.filter((line) => !aboutTheEdge.some((known) => known.test(line)));
    expect(ours).toEqual([]);
    expect(callsOfBuild).toBe(0);
  });

  it("has in what a page loads the client by its twin for pages, no undici, and no key", () => {
    const chunks = join(folder, `built-by-${bundler}`, "static");
    const texts = filesBelow(chunks)
      .filter(({ path }) => path.endsWith(".js"))
      .map(({ path }) => [path, readFileSync(join(chunks, path), "utf8")] as const);
    const holding = (what: string | RegExp) =>
      texts.filter(([, text]) => text.search(what) !== -1).map(([path]) => path);
    expect(holding(/this runtime has no undici, and every request goes by fetch/)).toHaveLength(1);
    expect(holding(/undici\/lib|undici\.globalDispatcher|["'`]node:/)).toEqual([]);
    expect(holding(key)).toEqual([]);
    expect(holding(listening.baseUrl)).toEqual([]);
  });

  it.each([
    ["a page that says nothing of when it is rendered", "/ahead"],
    ["a page that is kept for an hour", "/revalidated"],
    ["a page of the router for pages", "/legacy"],
    ["a route that is kept for an hour", "/api/node"],
    ["a route for the edge", "/api/edge"],
  ])("asks for a document each time that there is a call for %s", async (_, path) => {
    expect(await callsOfTwo(path)).toBe(2);
  });

  it("keeps a document only where it is told to keep everything", async () => {
    expect(await callsOfTwo("/api/kept")).toBe(1);
  });

  it("generates in a client component, of which the module makes the client, and tells of refusals", async () => {
    const before = service.calls.length;
    const { page, complaints } = await openPage(chromium, serving.origin);
    await page.click("#invoice");
    await page.waitForFunction(
      `/blob:.*, [1-9]\\d+ bytes told/.test(document.querySelector("output").textContent)`,
    );
    expect(service.calls.slice(before)).toMatchObject([
      { uid: "inv_2024", values: { total: "of the page" } },
    ]);
    await page.click("#nothing");
    await page.waitForFunction(`/status 404/.test(document.querySelector("output").textContent)`);
    expect(complaints).toEqual([]);
    await page.close();
  });

  /** How many requests reach the service when a path is called twice. */
  async function callsOfTwo(path: string): Promise<number> {
    const before = service.calls.length;
    for (let call = 0; call < 2; call++) {
      const response = await fetch(`${serving.origin}${path}`);
      expect(await response.text()).toMatch(/[1-9]\d{2,} bytes/);
    }
    return service.calls.length - before;
  }
});
