import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startEmulator } from "../../src/emulator/index.ts";
import { readPdf } from "../support/pdf-text.ts";
import { type RunningProgram, startProgram } from "../support/programs.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { type Browser, launch, openPage, readDownload } from "./browsers.ts";

const templates = fileURLToPath(new URL("../../examples/templates", import.meta.url));

/** A running example project that serves a web page. */
interface ServedExample {
  /** Starts a session as a page does, and returns its cookie. */
  startSession(): Promise<string>;
  /** Requests an invoice with values of its own, in the session of a cookie. */
  requestInvoice(cookie: string): Promise<Response>;
  /** Opens the page, clicks its button, and returns the text of the saved PDF and what the page complained about. */
  saveInvoice(): Promise<{ text: string; complaints: readonly string[] }>;
}

/**
 * The contract of an example project that serves a page with a button for an invoice.
 *
 * @param parts - the folder of the installed project, and how it is built
 */
export function testServedExample(...parts: Parameters<typeof useServedExample>): void {
  const example = useServedExample(...parts);

  it("rejects a request without a session", async () => {
    expect((await example.requestInvoice("session=made-up")).status).toBe(401);
  });

  it("generates an invoice from the server's values, not from those of the page", async () => {
    const cookie = await example.startSession();
    expect(cookie).toMatch(/^session=[^;]+;.*HttpOnly/i);
    const response = await example.requestInvoice(cookie.replace(/;.*/, ""));
    const { text } = await readPdf(new Uint8Array(await response.arrayBuffer()));
    expect(text).toContain("£640.00");
  });

  it("saves the invoice when its button is clicked", async () => {
    const { text, complaints } = await example.saveInvoice();
    expect(text).toContain("2026-0117");
    expect(complaints).toEqual([]);
  });
}

/**
 * Starts an example project before the tests of a file or `describe`, and stops it after them.
 *
 * @param folder - returns the folder of the installed project
 */
function useServedExample(
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
