import { createHash } from "node:crypto";
import type { Browser, BrowserName, Page, Scheme } from "../browsers.ts";

/**
 * For tests by the keyboard: Firefox sometimes does not report to the driver that it took a key, which is no fault of the page.
 * Nothing else is tried again.
 */
export const unlessTheDriverHangs = {
  timeout: 120_000,
  retry: { count: 3, condition: /^input\.performActions timed out/ },
};
/** How long a browser may take to answer the driver, so that a test can be tried again. */
export const answersWithinMs = 20_000;

/** What is watched from before the first script of the page. */
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

/** A person at the page, who has a keyboard only. */
export class Visit {
  readonly page: Page;
  /** What a developer would see in red or yellow; what the browser's own viewer says of a document is left out. */
  readonly complaints: string[] = [];
  /** Where everything was asked for. */
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

  /** Opens a page; its user likes one of the two schemes. */
  static async begin(browser: Browser, name: BrowserName, scheme: Scheme, url: string): Promise<Visit> {
    const page = await browser.newPage();
    const visit = new Visit(page);
    // Firefox was started with it.
    if (name === "chromium")
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.evaluateOnNewDocument(watch);
    await page.setViewport({ width: 1440, height: 900 });
    await page.goto(url);
    // Keys go to the page in front.
    await page.bringToFront();
    return visit;
  }

  /** Reads something of the page. */
  async see<T>(expression: string): Promise<T> {
    return JSON.parse(String(await this.page.evaluate(`JSON.stringify(${expression})`)));
  }

  until(expression: string): Promise<unknown> {
    return this.page.waitForFunction(expression);
  }

  focused(): Promise<string> {
    return this.see("document.activeElement.id");
  }

  /** Presses Tab until something has the focus. */
  async tabTo(id: string): Promise<void> {
    // A field of a date has a stop for each of its parts.
    for (let stops = 0; stops < 12; stops++) {
      if ((await this.focused()) === id) return;
      await this.page.keyboard.press("Tab");
    }
    throw new Error(`No way from key to key leads to #${id}`);
  }

  /** Fills the form in and sends it off, from wherever the focus is, by the keyboard. */
  async order(values: { customer: string; amount: string; work: string }): Promise<void> {
    for (const id of ["customer", "amount", "work"] as const) {
      await this.tabTo(id);
      await this.page.keyboard.type(values[id]);
    }
    await this.tabTo("make");
    await this.page.keyboard.press("Enter");
  }

  /** Waits until a document is shown; returns its hash. */
  async preview(): Promise<string> {
    await this.until(`made.length > 0 && frame.src.startsWith(made.at(-1))`);
    const hash = await this.page.evaluate(`blobs.get(made.at(-1)).arrayBuffer()
      .then((bytes) => crypto.subtle.digest("SHA-256", bytes))
      .then((hash) => [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join(""))`);
    return String(hash);
  }

  /** The text of the notice beside the button, once there is one. */
  async notice(): Promise<string> {
    await this.until(`document.querySelector("#notice p")`);
    return this.see(`document.querySelector("#notice p").textContent`);
  }
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
