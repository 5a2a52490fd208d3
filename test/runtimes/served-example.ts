import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startEmulator } from "../../src/emulator/index.ts";
import { readPdf } from "../support/pdf-text.ts";
import { type RunningProgram, startProgram } from "../support/programs.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { type Browser, launch, openPage, readDownload } from "./browsers.ts";

const templates = fileURLToPath(new URL("../../examples/templates", import.meta.url));

/**
 * Defines the tests of an example project that serves a web page.
 *
 * @param folder - returns the folder of the installed project
 */
export function testServedExample(
  folder: () => string,
  build?: (cwd: string, env: Readonly<Record<string, string>>) => Promise<void>,
): void {
  const downloads = makeTemporaryFolder("downloads");
  let emulator: Awaited<ReturnType<typeof startEmulator>>;
  let chromium: Browser;
  let running: RunningProgram;

  beforeAll(async () => {
    emulator = await startEmulator({ templates });
    chromium = await launch("chromium", { downloads: downloads.path });
    const cwd = folder();
    const env = {
      TEMPLATE_PDF_BASE_URL: emulator.baseUrl,
      TEMPLATE_PDF_API_KEY: emulator.apiKey,
      SESSION_SECRET: "only-for-this-test",
      NEXT_TELEMETRY_DISABLED: "1",
      PORT: "0",
    };
    await build?.(cwd, env);
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
}
