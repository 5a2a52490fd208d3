import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startEmulator } from "../../src/emulator/index.ts";
import { filesBelow } from "../package/consumer.ts";
import { filesIn } from "../support/blocks-of.ts";
import { readPdf } from "../support/pdf-text.ts";
import { outputOf, type RunningProgram, startProgram } from "../support/programs.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { type Browser, launch, openPage, readDownload } from "./browsers.ts";
import { runTests, useWorkspace } from "./mocks/workspace.ts";

/** Tests the example projects, and docs/guides/testing.md, with the packed package. */

const repository = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(repository, path), "utf8");
const manifestOf = (name: string) => JSON.parse(read(`examples/${name}/package.json`));
const projects = readdirSync(join(repository, "examples"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .filter((name) => readdirSync(join(repository, "examples", name)).includes("package.json"));
const tested = projects.filter((name) => manifestOf(name).scripts.test !== undefined);
const served = ["express", "next"];

// Their versions of TypeScript differ.
const workspaces = [useWorkspace(), useWorkspace()] as const;
const folders = new Map<string, string>();

beforeAll(async () => {
  const more = ["nock@14", "undici@7", "valibot@1"];
  const copies = [
    ...(await workspaces[0].installExamples(tested, more)),
    ...(await workspaces[1].installExamples(served)),
  ];
  for (const [at, name] of [...tested, ...served].entries()) folders.set(name, copies[at] ?? "");
}, 600_000);

it("every example project depends on this version of the package", () => {
  expect(tested).toEqual(["jest", "node-test", "vitest"]);
  const { version } = JSON.parse(read("package.json"));
  const ranges = projects.map((name) => manifestOf(name).dependencies["template-pdf"]);
  expect(new Set(ranges)).toEqual(new Set([`^${version}`]));
});

describe.each(tested)("examples/%s", (name) => {
  const folder = () => folders.get(name) ?? "";
  const textsOf = () => filesBelow(folder()).map(({ path }) => readFileSync(join(folder(), path), "utf8"));

  it("declares every package that it imports", () => {
    const { dependencies, devDependencies } = manifestOf(name);
    const pattern = /(?:^|[^\w.])(?:from |import |require\()"((?:@[^/"]+\/)?[^/."][^/"]*)[^"]*"/gm;
    const imported = textsOf().flatMap((text) => [...text.matchAll(pattern)].map(([, path = ""]) => path));
    const needs = { ...dependencies, ...devDependencies };
    expect(imported.filter((each) => !isBuiltin(each) && !(each in needs))).toEqual([]);
  });

  it("passes its own tests, and the tests in docs/guides/testing.md if it uses vitest", async () => {
    if (name === "vitest") {
      const blocks = filesIn(read("docs/guides/testing.md"));
      mkdirSync(join(folder(), "test/guide"));
      for (const [file, code] of blocks) writeFileSync(join(folder(), "test/guide", file), code);
      expect(blocks.size).toBe(read("docs/guides/testing.md").match(/^```ts$/gm)?.length);
    }
    const tests = textsOf().flatMap((text) => text.match(/^test\(/gm) ?? []).length;
    const { printed, ...outcome } = await runTests(folder(), "npm", ["test"]);
    expect(tests).toBeGreaterThan(0);
    expect(outcome, printed).toEqual({ exitCode: 0, passed: tests });
  }, 300_000);
});

describe.each(served)("examples/%s", (name) => {
  const downloads = makeTemporaryFolder("downloads");
  let emulator: Awaited<ReturnType<typeof startEmulator>>;
  let chromium: Browser;
  let running: RunningProgram;

  beforeAll(async () => {
    emulator = await startEmulator({ templates: join(repository, "examples/templates") });
    chromium = await launch("chromium", { downloads: downloads.path });
    const cwd = folders.get(name) ?? "";
    const env = {
      TEMPLATE_PDF_BASE_URL: emulator.baseUrl,
      TEMPLATE_PDF_API_KEY: emulator.apiKey,
      SESSION_SECRET: "only-for-this-test",
      NEXT_TELEMETRY_DISABLED: "1",
      PORT: "0",
    };
    if (name === "next") expect(await outputOf("npm", ["run", "build"], { cwd, env })).not.toMatch(/⚠|⨯/);
    const ready = /(?:^|Local: +)http:\/\/[^:]+:(\d+)(?:\/$|[\s\S]*Ready in)/m;
    running = await startProgram("npm", ["start"], { cwd, env, ready });
  }, 600_000);

  afterAll(async () => {
    await chromium?.close();
    await running?.stop();
    await emulator?.close();
    downloads.remove();
  }, 60_000);

  it("generates a document from the server's values on a click, only for users with a session", async () => {
    const ask = (cookie: string) =>
      fetch(`${running.origin}/api/pdf/api/v1/templates/invoice/generate-sync`, {
        method: "POST",
        headers: { "content-type": "application/json", cookie },
        body: JSON.stringify({ number: "2026-0117", total: "£0.01" }),
      });
    expect((await ask("session=made-up")).status).toBe(401);
    const [cookie = ""] = (await fetch(running.origin)).headers.getSetCookie();
    expect(cookie).toMatch(/^session=[^;]+;.*HttpOnly/i);
    const made = await ask(cookie.replace(/;.*/, ""));
    expect((await readPdf(new Uint8Array(await made.arrayBuffer()))).text).toContain("£640.00");

    const { page, complaints } = await openPage(chromium, running.origin);
    await page.click("button");
    await page.waitForFunction(`document.querySelector("output").textContent === "The invoice was saved."`);
    const saved = join(downloads.path, "Invoice 2026-0117.pdf");
    expect((await readPdf(await readDownload(saved))).text).toContain("2026-0117");
    expect(complaints).toEqual([]);
  });
});
