import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type BrowserName = "chromium" | "firefox";
export type Scheme = "light" | "dark";

/** So much of puppeteer-core as is used here. */
export interface Page {
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  goto(url: string): Promise<unknown>;
  evaluate(expression: string): Promise<unknown>;
  evaluateOnNewDocument(expression: string): Promise<unknown>;
  waitForFunction(expression: string): Promise<unknown>;
  setViewport(size: { width: number; height: number }): Promise<void>;
  emulateMediaFeatures(features: { name: string; value: string }[]): Promise<void>;
  emulateTimezone(zone: string): Promise<void>;
  on(event: "console", listener: (message: ConsoleMessage) => void): void;
  on(event: "pageerror", listener: (error: Error) => void): void;
  on(event: "request", listener: (request: { url(): string }) => void): void;
  close(): Promise<void>;
  bringToFront(): Promise<void>;
}

interface ConsoleMessage {
  type(): string;
  text(): string;
  location(): { url?: string };
}

export interface Browser {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

const programs: Readonly<Record<BrowserName, readonly string[]>> = {
  chromium: ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"],
  firefox: ["/usr/bin/firefox-esr", "/usr/bin/firefox"],
};

/** A folder for what a browser saves. */
export function downloadFolder(): { path: string; remove(): void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "template-pdf-downloads-")));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * For tests by the keyboard: now and then Firefox does not tell the driver that it has taken a key, which is no fault of the page.
 * Nothing else is tried again.
 */
export const unlessTheDriverHangs = {
  timeout: 120_000,
  retry: { count: 3, condition: /^input\.performActions timed out/ },
};

/**
 * Starts a real browser, without a window.
 *
 * @param toolsIn - a folder that has installed puppeteer-core
 * @param settings - `scheme`: what its user likes; `downloads`: where it saves, without asking
 */
export function launch(
  name: BrowserName,
  toolsIn: string,
  settings: { readonly scheme: Scheme; readonly downloads: string },
): Promise<Browser> {
  const executablePath = programs[name].find((program) => existsSync(program));
  if (!executablePath) {
    throw new Error(`There is no ${name} here. Install it: apt-get install --yes chromium firefox-esr`);
  }
  const { launch: start } = createRequire(join(toolsIn, "package.json"))("puppeteer-core").default;
  return start({
    browser: name === "chromium" ? "chrome" : "firefox",
    executablePath,
    headless: true,
    protocolTimeout: 20_000,
    downloadBehavior: { policy: "allow", downloadPath: settings.downloads },
    ...(name === "chromium"
      ? // It refuses its sandbox to root, and small machines have little shared memory.
        { args: ["--no-sandbox", "--disable-dev-shm-usage"] }
      : { extraPrefsFirefox: firefoxPreferences(settings) }),
  });
}

function firefoxPreferences({
  scheme,
  downloads,
}: {
  scheme: Scheme;
  downloads: string;
}): Record<string, unknown> {
  return {
    // 0 is dark, 1 is light.
    "layout.css.prefers-color-scheme.content-override": scheme === "dark" ? 0 : 1,
    "browser.download.folderList": 2,
    "browser.download.dir": downloads,
    "browser.download.useDownloadDir": true,
    "browser.download.alwaysOpenPanel": false,
    "browser.download.always_ask_before_handling_new_types": false,
  };
}
