import { type BrowserName, launch } from "../browsers.ts";
import type { Ground, Run } from "./runtime.ts";

/**
 * A page in a real browser.
 *
 * @param start - the function of the page that makes the checks
 */
export function inBrowser(name: BrowserName, start: string) {
  return async ({ service, settings }: Ground): Promise<Run> => {
    const browser = await launch(name);
    try {
      const page = await browser.newPage();
      await page.goto(`${service}/`);
      const results = await page.evaluate(`${start}(${settings}).then((results) => JSON.stringify(results))`);
      const version = /\d+(?:\.\d+)+/.exec(await browser.version())?.[0] ?? "";
      return { version, results: JSON.parse(String(results)) };
    } finally {
      await browser.close();
    }
  };
}
