import { createRequire } from "node:module";
import { join } from "node:path";
import { atEnd } from "../support/at-end.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { browserOf, runtimesFolder } from "./installed.ts";

export type BrowserName = "chromium" | "firefox";
export type Scheme = "light" | "dark";

/** So much of puppeteer-core as is used here. */
export interface Page {
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  goto(url: string, options?: { readonly waitUntil: "networkidle0" }): Promise<unknown>;
  evaluate<T = unknown>(expression: string): Promise<T>;
  evaluateOnNewDocument(expression: string): Promise<unknown>;
  waitForFunction(expression: string): Promise<unknown>;
  click(selector: string): Promise<void>;
  screenshot(): Promise<Uint8Array>;
  setViewport(size: { width: number; height: number }): Promise<void>;
  emulateMediaFeatures(features: { name: string; value: string }[]): Promise<void>;
  emulateTimezone(zone: string): Promise<void>;
  on(
    event: "console",
    listener: (message: { type(): string; text(): string; location(): { url?: string } }) => void,
  ): void;
  on(event: "pageerror", listener: (error: Error) => void): void;
  on(event: "request", listener: (request: { url(): string }) => void): void;
  close(): Promise<void>;
  bringToFront(): Promise<void>;
}

/** What puppeteer-core has started. */
interface Driven {
  newPage(): Promise<Page>;
  version(): Promise<string>;
  close(): Promise<void>;
  process(): { kill(signal: "SIGKILL"): boolean } | null;
}

/** A real browser, without a window. */
export type Browser = Pick<Driven, "newPage" | "version" | "close">;

interface Launching {
  /** What its user likes. Default: light. */
  readonly scheme?: Scheme;
  /** The folder where it saves, without asking. */
  readonly downloads?: string;
  /** How long it may take to answer the driver. Default: so long that only what hangs takes it. */
  readonly answersWithinMs?: number;
}

/**
 * Starts a browser of this machine, with a profile of its own.
 *
 * @throws {Error} when this machine has none, with the line that installs it
 */
export async function launch(name: BrowserName, settings: Launching = {}): Promise<Browser> {
  const { downloads, answersWithinMs = 240_000 } = settings;
  const executablePath = browserOf(name);
  const { launch: start } = createRequire(join(runtimesFolder, "package.json"))("puppeteer-core").default;
  const profile = makeTemporaryFolder("profile");
  try {
    const driven: Driven = await start({
      browser: name === "chromium" ? "chrome" : "firefox",
      executablePath,
      headless: true,
      userDataDir: profile.path,
      protocolTimeout: answersWithinMs,
      ...(downloads ? { downloadBehavior: { policy: "allow", downloadPath: downloads } } : {}),
      ...(name === "chromium"
        ? // It refuses its sandbox to root, and small machines have little shared memory.
          { args: ["--no-sandbox", "--disable-dev-shm-usage"] }
        : { extraPrefsFirefox: firefoxPreferences(settings) }),
      // They would leave the profile.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    const forget = atEnd(() => driven.process()?.kill("SIGKILL"));
    return {
      newPage: () => driven.newPage(),
      version: () => driven.version(),
      async close() {
        await driven.close();
        forget();
        profile.remove();
      },
    };
  } catch (error) {
    profile.remove();
    throw error;
  }
}

function firefoxPreferences({ scheme, downloads }: Launching): Record<string, unknown> {
  return {
    // 0 is dark, 1 is light.
    "layout.css.prefers-color-scheme.content-override": scheme === "dark" ? 0 : 1,
    ...(downloads
      ? {
          "browser.download.folderList": 2,
          "browser.download.dir": downloads,
          "browser.download.useDownloadDir": true,
          "browser.download.alwaysOpenPanel": false,
          "browser.download.always_ask_before_handling_new_types": false,
        }
      : {}),
  };
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
