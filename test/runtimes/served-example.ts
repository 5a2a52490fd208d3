import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";
import { startEmulator } from "../../src/emulator/index.ts";
import { readPdf } from "../support/pdf-text.ts";
import { type RunningProgram, startProgram } from "../support/programs.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { type Browser, launch, openPage, readDownload } from "./browsers.ts";

const templates = fileURLToPath(new URL("../../examples/templates", import.meta.url));

/** A running example project that serves a web page. */
export interface ServedExample {
  /** Starts a session as a page does, and returns its cookie. */
  startSession(): Promise<string>;
  /** Requests an invoice with values of its own, in the session of a cookie. */
  requestInvoice(cookie: string): Promise<Response>;
  /** Opens the page, clicks its button, and returns the text of the saved PDF and what the page complained about. */
  saveInvoice(): Promise<{ text: string; complaints: readonly string[] }>;
}

/**
 * Starts an example project before the tests of a file or `describe`, and stops it after them.
 *
 * @param folder - returns the folder of the installed project
 */
export function useServedExample(
  folder: () => string,
  build?: (cwd: string, env: Readonly<Record<string, string>>) => Promise<void>,
): ServedExample {
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

  return {
    async startSession() {
      const [cookie = ""] = (await fetch(running.origin)).headers.getSetCookie();
      return cookie;
    },
    requestInvoice(cookie) {
      return fetch(`${running.origin}/api/pdf/api/v1/templates/invoice/generate-sync`, {
        method: "POST",
        headers: { "content-type": "application/json", cookie },
        body: JSON.stringify({ number: "2026-0117", total: "£0.01" }),
      });
    },
    async saveInvoice() {
      const { page, complaints } = await openPage(chromium, running.origin);
      await page.click("button");
      await page.waitForFunction(`document.querySelector("output").textContent === "The invoice was saved."`);
      const saved = await readDownload(join(downloads.path, "Invoice 2026-0117.pdf"));
      return { text: (await readPdf(saved)).text, complaints };
    },
  };
}
