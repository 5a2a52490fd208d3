import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { runtimesFolder } from "../../scripts/runtimes.mjs";
import { atEnd } from "../support/at-end.ts";
import { eventually } from "../support/eventually.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

const browsers = {
  chromium: { names: ["chromium", "chromium-browser", "google-chrome"], debian: "chromium" },
  firefox: { names: ["firefox-esr", "firefox"], debian: "firefox-esr" },
};

export type BrowserName = keyof typeof browsers;

/**
 * The program of a browser, which npm does not provide.
 *
 * @throws {Error} if this machine does not have the browser, with the command that installs it
 */
function browserOf(kind: BrowserName): string {
  const { names, debian } = browsers[kind];
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
  if (found) return found;
  throw new Error(
    `None of ${names.join(", ")} is on the PATH. Install it: apt-get install --yes --no-install-recommends ${debian}`,
  );
}

/** The part of puppeteer-core that is used here. */
export interface Page {
  readonly keyboard: {
    press(key: string): Promise<void>;
    type(text: string): Promise<void>;
    down(key: string): Promise<void>;
    up(key: string): Promise<void>;
  };
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
  on(event: "request", listener: (request: { url(): string }) => unknown): void;
  close(): Promise<void>;
  bringToFront(): Promise<void>;
}

/** A real headless browser. */
export interface Browser {
  newPage(): Promise<Page>;
  version(): Promise<string>;
  close(): Promise<void>;
}

interface Launching {
  /** The preferred colour scheme. Default: light. */
  readonly scheme?: "light" | "dark";
  /** The folder for downloads. */
  readonly downloads?: string;
  /** The time limit for a response to the driver. The default is so long that only a hanging browser exceeds it. */
  readonly answersWithinMs?: number;
}

/** Waits for a download. A browser first creates an empty file, and renames the complete one over it. */
export async function readDownload(path: string): Promise<Uint8Array> {
  await eventually(() => statSync(path, { throwIfNoEntry: false })?.size);
  return readFileSync(path);
}

/**
 * Starts a browser of this machine with a new profile.
 *
 * @throws {Error} if this machine does not have the browser, with the command that installs it
 */
export async function launch(name: BrowserName, settings: Launching = {}): Promise<Browser> {
  const { downloads, answersWithinMs = 240_000 } = settings;
  const executablePath = browserOf(name);
  const { launch: start } = createRequire(join(runtimesFolder, "package.json"))("puppeteer-core").default;
  const profile = makeTemporaryFolder("profile");
  try {
    const driven: Browser & { process(): { kill(signal: "SIGKILL"): boolean } | null } = await start({
      browser: name === "chromium" ? "chrome" : "firefox",
      executablePath,
      headless: true,
      userDataDir: profile.path,
      protocolTimeout: answersWithinMs,
      timeout: 240_000,
      ...(downloads ? { downloadBehavior: { policy: "allow", downloadPath: downloads } } : {}),
      ...(name === "chromium"
        ? // Chromium has no sandbox for root, and small machines have little shared memory.
          { args: ["--no-sandbox", "--disable-dev-shm-usage"] }
        : { extraPrefsFirefox: firefoxPreferences(settings) }),
      // With these handlers, the profile would not be removed.
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

/** Opens a page, and records its errors and warnings, except error statuses of responses. */
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
