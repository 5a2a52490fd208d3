import { createRequire } from "node:module";
import { join } from "node:path";
import { browserOf, runtimesFolder } from "../installed.ts";
import type { Ground, Run } from "./runtime.ts";

/** So much of puppeteer-core as is used here. */
interface Puppeteer {
  launch(options: {
    readonly browser: "chrome" | "firefox";
    readonly executablePath: string;
    readonly headless: true;
    readonly args: readonly string[];
    readonly protocolTimeout: number;
  }): Promise<Browser>;
}

interface Browser {
  version(): Promise<string>;
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

interface Page {
  goto(url: string): Promise<unknown>;
  evaluate(expression: string): Promise<unknown>;
}

/** Of Chromium only: it refuses its sandbox to root, and small machines have little shared memory. */
const args = { chrome: ["--no-sandbox", "--disable-dev-shm-usage"], firefox: [] };

/**
 * A page in a real browser.
 *
 * @param start - the function of the page that makes the checks
 */
export function inBrowser(browser: "chrome" | "firefox", start: string) {
  return async ({ service, settings }: Ground): Promise<Run> => {
    const { launch }: Puppeteer = createRequire(join(runtimesFolder, "package.json"))(
      "puppeteer-core",
    ).default;
    const driven = await launch({
      browser,
      executablePath: browserOf(browser),
      headless: true,
      args: args[browser],
      // So long that only what hangs takes it.
      protocolTimeout: 240_000,
    });
    try {
      const page = await driven.newPage();
      await page.goto(`${service}/`);
      const results = await page.evaluate(`${start}(${settings}).then((results) => JSON.stringify(results))`);
      const version = /\d+(?:\.\d+)+/.exec(await driven.version())?.[0] ?? "";
      return { version, results: JSON.parse(String(results)) };
    } finally {
      await driven.close();
    }
  };
}
