import type { Browser, Page } from "../browsers.ts";

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
