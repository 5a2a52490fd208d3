import { createHash } from "node:crypto";
import type { Browser, BrowserName, Page, Scheme } from "../browsers.ts";

/**
 * Options for tests with the keyboard. They run again only if Firefox does not report a key to the driver, which is a fault of the
 * driver.
 */
export const unlessTheDriverHangs = {
  timeout: 120_000,
  retry: { count: 3, condition: /^input\.performActions timed out/ },
};
/** The time limit of a browser for a response to the driver, so that a test can run again. */
export const answersWithinMs = 20_000;

/** Records events before the first script of the page. */
const watch = `
  globalThis.made = [];
  globalThis.blobs = new Map();
  globalThis.shown = [];
  const { createObjectURL } = URL;
  URL.createObjectURL = (blob) => {
    const url = createObjectURL.call(URL, blob);
    made.push(url);
    blobs.set(url, blob);
    return url;
  };
  addEventListener("DOMContentLoaded", () => {
    const bar = document.querySelector("progress");
    const look = () => shown.push([bar?.getAttribute("value") ?? null, document.querySelector("#status")?.textContent]);
    if (bar) new MutationObserver(look).observe(bar.parentElement, { attributes: true, childList: true, subtree: true });
  });
`;

/** A user of the page with a keyboard only. */
export class Visit {
  readonly page: Page;
  /** Errors and warnings of the console, except those of the browser's PDF viewer. */
  readonly complaints: string[] = [];
  /** The origins of all requests. */
  readonly origins = new Set<string>();

  private constructor(page: Page) {
    this.page = page;
    page.on("console", (message) => {
      const isOfPage = /^(?:https?:|$)/.test(message.location().url ?? "");
      if (isOfPage && /^(?:error|warn)/.test(message.type())) this.complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      if (/^(?:https?|wss?):$/.test(protocol)) this.origins.add(origin);
    });
  }

  /** Opens the page with a colour scheme. */
  static async begin(browser: Browser, name: BrowserName, scheme: Scheme, url: string): Promise<Visit> {
    const page = await browser.newPage();
    const visit = new Visit(page);
    // Firefox gets the scheme at its start.
    if (name === "chromium")
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.evaluateOnNewDocument(watch);
    await page.setViewport({ width: 1440, height: 900 });
    await page.goto(url);
    // The keyboard controls the page in front.
    await page.bringToFront();
    return visit;
  }

  /** Evaluates an expression in the page. */
  async see<T>(expression: string): Promise<T> {
    return JSON.parse(String(await this.page.evaluate(`JSON.stringify(${expression})`)));
  }

  until(expression: string): Promise<unknown> {
    return this.page.waitForFunction(expression);
  }

  focused(): Promise<string> {
    return this.see("document.activeElement.id");
  }

  /** Presses Tab until an element has the focus. */
  async tabTo(id: string): Promise<void> {
    // A date field has a tab stop for each of its parts.
    for (let stops = 0; stops < 12; stops++) {
      if ((await this.focused()) === id) return;
      await this.page.keyboard.press("Tab");
    }
    throw new Error(`No way from key to key leads to #${id}`);
  }

  /** Fills in the form and submits it with the keyboard. */
  async order(values: { customer: string; amount: string; work: string }): Promise<void> {
    for (const id of ["customer", "amount", "work"] as const) {
      await this.tabTo(id);
      await this.page.keyboard.type(values[id]);
    }
    await this.tabTo("make");
    await this.page.keyboard.press("Enter");
  }

  /** Waits until a document is shown, and returns its hash. */
  async preview(): Promise<string> {
    await this.until(`made.length > 0 && frame.src.startsWith(made.at(-1))`);
    const hash = await this.page.evaluate(`blobs.get(made.at(-1)).arrayBuffer()
      .then((bytes) => crypto.subtle.digest("SHA-256", bytes))
      .then((hash) => [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join(""))`);
    return String(hash);
  }

  /** Waits for the notice, and returns its text. */
  async notice(): Promise<string> {
    await this.until(`document.querySelector("#notice p")`);
    return this.see(`document.querySelector("#notice p").textContent`);
  }
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
