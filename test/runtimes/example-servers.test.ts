import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startEmulator } from "../../src/emulator/index.ts";
import { readPdf } from "../support/pdf-text.ts";
import { outputOf, type RunningProgram, startProgram } from "../support/programs.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { type Browser, launch, openPage, readDownload } from "./browsers.ts";
import { useWorkspace } from "./mocks/workspace.ts";

/** Tests examples/express and examples/next with the packed package and the emulator. */

const examples = fileURLToPath(new URL("../../examples/", import.meta.url));
const projects = ["express", "next"] as const;

const workspace = useWorkspace();
const downloads = makeTemporaryFolder("downloads");
let emulator: Awaited<ReturnType<typeof startEmulator>>;
let chromium: Browser;
let folders: readonly string[];

beforeAll(async () => {
  folders = await workspace.installExamples(projects);
  emulator = await startEmulator({ templates: join(examples, "templates") });
  chromium = await launch("chromium", { downloads: downloads.path });
}, 300_000);

afterAll(async () => {
  await chromium?.close();
  await emulator?.close();
  downloads.remove();
}, 60_000);

describe.each(projects)("examples/%s", (name) => {
  let running: RunningProgram;

  beforeAll(async () => {
    const cwd = folders[projects.indexOf(name)] ?? "";
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
  }, 180_000);

  afterAll(() => running?.stop());

  const ask = (cookie = "") =>
    fetch(`${running.origin}/api/pdf/api/v1/templates/invoice/generate-sync`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie },
      body: JSON.stringify({ number: "2026-0117", total: "£0.01" }),
    });

  it("generates for users with a session only, with the values that the server sets", async () => {
    expect((await ask()).status).toBe(401);
    expect((await ask("session=made-up")).status).toBe(401);
    const [cookie = ""] = (await fetch(running.origin)).headers.getSetCookie();
    expect(cookie).toMatch(/^session=[^;]+;.*HttpOnly/i);
    const made = await ask(cookie.replace(/;.*/, ""));
    const { text } = await readPdf(new Uint8Array(await made.arrayBuffer()));
    expect(text).toContain("£640.00");
    expect(text).not.toContain("£0.01");
  });

  it("saves a document when the button is clicked", async () => {
    const { page, complaints } = await openPage(chromium, running.origin);
    await page.click("button");
    await page.waitForFunction(`document.querySelector("output").textContent === "The invoice was saved."`);
    const saved = join(downloads.path, "Invoice 2026-0117.pdf");
    const { text } = await readPdf(await readDownload(saved));
    expect(text).toContain("2026-0117");
    expect(complaints).toEqual([]);
    await page.close();
    rmSync(saved);
  });
});
