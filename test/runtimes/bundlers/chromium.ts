import { createRequire } from "node:module";
import { join } from "node:path";

/** So much of puppeteer-core as is used here. */
interface Puppeteer {
  launch(options: {
    readonly executablePath: string;
    readonly args: readonly string[];
    readonly protocolTimeout: number;
  }): Promise<Browser>;
}

export interface Browser {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

export interface Page {
  on(event: "console", listener: (message: { type(): string; text(): string }) => void): void;
  on(event: "pageerror", listener: (error: Error) => void): void;
  createCDPSession(): Promise<{ send(method: string, options: object): Promise<unknown> }>;
  goto(url: string, options?: { readonly waitUntil: "networkidle0" }): Promise<unknown>;
  evaluate<T>(expression: string): Promise<T>;
  waitForFunction(expression: string): Promise<unknown>;
  click(selector: string): Promise<void>;
  close(): Promise<void>;
}

/** What a workspace has to install for it. */
export const puppeteer = "puppeteer-core@24.43.1";

/**
 * Starts the Chromium of Debian's package, which `.ci/run` installs.
 *
 * @param folder - of the workspace that has installed {@link puppeteer}
 */
export function launchChromium(folder: string): Promise<Browser> {
  const { launch }: Puppeteer = createRequire(join(folder, "package.json"))("puppeteer-core").default;
  return launch({
    executablePath: "/usr/bin/chromium",
    // It refuses its sandbox to root, and small machines have little shared memory.
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
    // So long that only what hangs takes it.
    protocolTimeout: 120_000,
  });
}

/** Opens a page, and notes what the page complains of; a status that the page was refused with is no complaint. */
export async function openPage(browser: Browser, url: string): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("pageerror", ({ message }) => complaints.push(message));
  page.on("console", (message) => {
    const isWorse = message.type() === "error" || message.type() === "warn";
    if (isWorse && !/status of 4\d\d/.test(message.text())) complaints.push(message.text());
  });
  await page.goto(url, { waitUntil: "networkidle0" });
  return { page, complaints };
}
