import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import type { RunningProgram } from "../support/programs.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { type Browser, launch, openPage, type Page } from "./browsers.ts";
import { apiKey, at, callAsApplication, emulate, field, openTab, repository } from "./playground-page.ts";

/**
 * Tests the playground of the emulator in real browsers: with the viewer of the browser, and with
 * an installed pdf.js.
 */

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const line = { text: { type: "string" }, count: { type: "integer" } };
const schema = {
  type: "object",
  required: ["number", "lines"],
  properties: {
    number: { type: "string", description: "As the customer sees it." },
    paid: { type: "boolean" },
    currency: { enum: ["GBP", "EUR"] },
    lines: { type: "array", items: { type: "object", required: ["text"], properties: line } },
  },
};
const sample = { number: "2026-0117", paid: true, currency: "EUR", lines: [{ text: "Café menu", count: 2 }] };
const invoice = (title: string) =>
  JSON.stringify({ schema, sample, content: [`${title} {{number}}`, { $each: "lines", $show: "{{text}}" }] });

describe.each([
  ["chromium", "pdf.js", repository],
  ["firefox", "its own viewer", undefined],
] as const)("the playground in %s with %s", { timeout: 120_000 }, (name, _viewer, cwd) => {
  const { path: folder, remove } = makeTemporaryFolder("playground");
  const file = join(folder, "invoice.json");
  let emulator: RunningProgram;
  let browser: Browser;
  let page: Page;
  let tab: Awaited<ReturnType<typeof openTab>>;
  const requested: string[] = [];

  const startEmulator = (port: string) => emulate(cwd ?? folder, folder, "--port", port);

  beforeAll(async () => {
    writeFileSync(file, invoice("Invoice"));
    writeFileSync(join(folder, "letter.json"), '{ "content": ["Dear {{name}}"] }');
    emulator = await startEmulator("0");
    browser = await launch(name);
    tab = await openTab(browser);
    ({ page } = tab);
    page.on("request", (request) => requested.push(request.url()));
    // The page keeps an event stream open, so the network is never idle.
    await page.goto(`${emulator.origin}/`);
    await tab.until("$('.preview code')");
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await emulator?.stop();
    remove();
  });

  const documentText = () => tab.documentText();
  const until = (expression: string) => tab.until(expression);
  const textOf = (selector: string) => tab.textOf(selector);
  const press = (label: string) => tab.press(label);
  const type = (selector: string, text: string) => tab.type(selector, text);
  const untilNext = (action: () => unknown) => tab.untilNext(action);
  const json = () => tab.json();

  it("lists templates, and shows the document's page count, size, render time and request ID", async () => {
    const listed = /invoice\s+invoice\.json, 1 page\s+letter\s+letter\.json, 1 page/;
    await eventually(async () => listed.test(await textOf(".templates")));
    expect(await textOf(".preview .bar")).toMatch(/^1 page, \d+\.\d kB, \d+ ms [\da-f-]{36}/);
    const viewer = cwd === undefined ? "iframe[src^='blob:']" : ".pages canvas";
    await until(`${at(viewer)}`);
  });

  it("renders values typed into the form, and shows them in the JSON editor", async () => {
    await untilNext(() => type(field("number"), "2026-0999"));
    await until("$('.cm-content').innerText.includes('2026-0999')");
    expect(JSON.parse(await json())).toMatchObject({ number: "2026-0999" });
    await eventually(async () => (await documentText()).includes("Invoice 2026-0999"));
  });

  // Tests that do not depend on the browser run in only one.
  if (name === "chromium") {
    it("disables the form while the JSON is invalid", async () => {
      await page.click(".cm-content");
      await page.evaluate("$('.cm-content').focus()");
      await page.keyboard.press("End");
      await page.keyboard.type("x");
      await until("$('.objection')?.innerText !== ''");
      expect(await page.evaluate("$('form fieldset').disabled")).toBe(true);
      await page.keyboard.press("Backspace");
      await until("$('.objection')?.innerText === ''");
      expect(await page.evaluate("$('form fieldset').disabled")).toBe(false);
    });

    it("shows lists as tables, and adds and removes items", async () => {
      expect(await textOf(".list thead")).toMatch(/^text\s+count/);
      await press("Add to lines");
      await until(`${at(field("lines", 1, "text"))}`);
      await until("$('.cm-content').innerText.split('\"text\"').length === 3");
      expect(JSON.parse(await json()).lines).toEqual([{ text: "Café menu", count: 2 }, { text: "" }]);
      await page.evaluate("$('[aria-label=\"Remove lines 2\"]').click()");
      await until(`!${at(field("lines", 1, "text"))}`);
    });

    it("keeps the values across reloads until the sample is restored", async () => {
      await page.goto(`${emulator.origin}/#invoice`);
      // Until the reload, the old page has the same values.
      await page.evaluate("window.isOldPage = true; location.reload()");
      await until(`!window.isOldPage && ${at(field("number"))}?.value === "2026-0999"`);
      await press("Sample");
      await until(`${at(field("number"))}.value === "2026-0117"`);
    });

    it("shows the service's error next to the invalid field", async () => {
      await until("$('.preview code')");
      await type(field("lines", 0, "count"), "1.5");
      const fault = `[id='field ${JSON.stringify(["lines", 0, "count"])} fault']`;
      await until(`${at(fault)}?.innerText.includes("whole number")`);
      expect(await textOf(".problem")).toMatch(
        /^Refused with 422[\s\S]*The last good document is shown below\.$/,
      );
      await press("Sample");
      await until("!$('.problem')");
    });

    it("re-renders a template on save, and keeps the last document visible below an error", async () => {
      await untilNext(() => writeFileSync(file, invoice("Bill")));
      writeFileSync(file, '{\n  "content": [}');
      await until("$('.problem')?.innerText.includes('invoice.json:2:15')");
      await until("$('.templates .fault')?.innerText.includes('invoice.json:2:15')");
      expect(await textOf(".preview .bar")).toContain("1 page");
      writeFileSync(file, invoice("Invoice"));
      await until("!$('.problem') && !$('.templates .fault')");
    });

    it("shows code samples and the template's types, and copies code to the clipboard", async () => {
      await press("Code");
      const code = async (label: string) => textOf(`section[aria-label="${label}"] pre`);
      for (const label of ["TypeScript", "fetch", "Command"])
        expect(await code(label)).toContain("2026-0117");
      expect(await code("cURL")).toContain("/api/v1/templates/invoice/generate-sync");
      await until(`$('section[aria-label="Types"]').innerText.includes("InvoiceValues")`);
      await page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text; } } })",
      );
      await page.evaluate(`$('[aria-label="Copy fetch"]').click()`);
      await until(`$('[aria-label="Copy fetch"]').innerText === "Copied"`);
      const shown = await page.evaluate<string>(`$('section[aria-label="fetch"] pre').textContent`);
      expect(await page.evaluate("window.copied")).toBe(shown);
    });

    it("lists requests from other clients, and copies a request's values into the form", async () => {
      await press("Requests");
      const headers = { "x-trace": "t-7", "x-emulator-latency": "1500" };
      await callAsApplication(emulator.origin, "invoice", { number: "from elsewhere", lines: [] }, headers);
      // Waits until no call of the page itself can follow.
      await until("parseInt($('.requests tbody td:nth-child(5)').innerText) >= 1500");
      await page.evaluate("$('.requests tbody button').click()");
      await until("$('.requests pre')?.innerText.includes('x-trace: t-7')");
      expect(await textOf(".requests")).not.toContain(apiKey);
      await press("Use these values");
      await until(`${at(field("number"))}.value === "from elsewhere"`);
    });

    it("has a screenshot of the right size (to update: npm run docs -- pictures)", async () => {
      const args = ["examples/templates", "--fonts", "examples/fonts", "--port", "0"];
      const shown = await emulate(repository, ...args);
      const { page: portrait } = await openPage(browser, "about:blank");
      await portrait.setViewport({ width: 1280, height: 800 });
      const values = JSON.parse(readFileSync(join(repository, "examples/values/invoice.json"), "utf8"));
      const stored = JSON.stringify(JSON.stringify(values, null, 2));
      await portrait.evaluateOnNewDocument(
        `localStorage.setItem("template-pdf values of invoice in ${join(repository, "examples/templates")}", ${stored})`,
      );
      await portrait.goto(`${shown.origin}/#invoice`);
      const canvas = "document.querySelector('.pages canvas')";
      await portrait.waitForFunction(canvas);
      const picture = join(repository, "docs/pictures/playground.png");
      const taken = Buffer.from(await portrait.screenshot());
      const [, drawn = ""] = (await portrait.evaluate<string>(`${canvas}.toDataURL()`)).split(",");
      if (process.env["TEMPLATE_PDF_PICTURES"]) {
        writeFileSync(picture, taken);
        writeFileSync(join(repository, "docs/pictures/invoice.png"), Buffer.from(drawn, "base64"));
      }
      expect(await portrait.evaluate(`${canvas}.width`)).toBeGreaterThan(400);
      // The width and the height.
      expect(readFileSync(picture).subarray(16, 24)).toEqual(taken.subarray(16, 24));
      await portrait.close();
      await shown.stop();
    });

    it.each([
      [1440, "dark"],
      [1024, "light"],
      [390, "dark"],
    ])("has no accessibility violations at a width of %i pixels in %s mode", async (width, scheme) => {
      await page.setViewport({ width, height: 900 });
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await page.evaluate(axe);
      for (const tab of ["Code", "Requests", "Faults", "Preview"]) {
        await press(tab);
        const run = "axe.run(document, { iframes: false, resultTypes: ['violations'] })";
        const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(run);
        const violations = found.violations.map(({ id, nodes }) => `${tab} ${id}: ${nodes[0]?.html}`);
        expect(violations).toEqual([]);
      }
      const isTooWide = "document.documentElement.scrollWidth > innerWidth";
      expect(await page.evaluate(isTooWide)).toBe(false);
      await page.setViewport({ width: 1500, height: 900 });
    });
  }

  it("sends requests only to the emulator, and does not log unexpected errors", () => {
    const isOurs = (url: string) => url.startsWith(emulator.origin) || /^(?:blob|data|about):/.test(url);
    expect(requested.filter((url) => !isOurs(url))).toEqual([]);
    // Error responses that this test has caused, and messages of the viewer of Firefox.
    const isKnown = (text: string) => /status of [45]\d\d|^Warning: |offsetParent/i.test(text);
    expect(tab.complaints.filter((text) => !isKnown(text))).toEqual([]);
  });

  it("reports a stopped emulator, and restores the values when the emulator restarts", async () => {
    await type(field("number"), "before the stop");
    await eventually(async () => (await documentText()).includes("before the stop"));
    const { port } = new URL(emulator.origin);
    await emulator.stop();
    await until("$('header [role=alert]')?.innerText === 'The emulator has stopped.'");
    emulator = await startEmulator(port);
    await until("$('.preview code') && !$('header [role=alert]')");
    expect(await page.evaluate(`${at(field("number"))}.value`)).toBe("before the stop");
    await eventually(async () => (await documentText()).includes("before the stop"));
  });
});
