import { expect, it } from "vitest";
import { launch } from "../browsers.ts";
import { answersWithinMs, unlessTheDriverHangs } from "./unless-the-driver-hangs.ts";

/**
 * Makes the test that an invoice begins with the day of whoever writes it: in Chromium, which can be told where it is. Firefox takes
 * that from its machine.
 *
 * @param stage - `address`: where the page is, once it is there
 */
export function testLocalDay(stage: { readonly address: () => string }): void {
  it("the example begins with the day on the calendar of its user", unlessTheDriverHangs, async () => {
    // Wherever it is another day than in UTC.
    const isMorning = new Date().getUTCHours() < 11;
    const [zone, aheadHours] = isMorning ? (["Etc/GMT+12", -12] as const) : (["Etc/GMT-14", 14] as const);
    const browser = await launch("chromium", { answersWithinMs });
    try {
      const page = await browser.newPage();
      await page.emulateTimezone(zone);
      await page.goto(stage.address());
      const there = new Date(Date.now() + aheadHours * 3_600_000).toISOString().slice(0, 10);
      expect(await page.evaluate("date.value")).toBe(there);
    } finally {
      await browser.close();
    }
  });
}
