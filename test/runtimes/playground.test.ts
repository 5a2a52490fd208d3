import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { readPdf } from "../support/pdf-text.ts";
import { type RunningProgram, startProgram } from "../support/programs.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { type Browser, launch, openPage, type Page } from "./browsers.ts";

/**
 * Tests the playground of the emulator in real browsers: with the viewer of the browser, and with
 * an installed pdf.js.
 */

const repository = fileURLToPath(new URL("../..", import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const apiKey = "key-of-the-playground";
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

/** Defines a short name for the function that finds an element, and keeps the bytes of the last document that the page receives. */
const prepare = `
  window.$ = (selector) => document.querySelector(selector);
  const ours = window.fetch;
  window.fetch = async (...call) => {
    const response = await ours(...call);
    if (response.ok && String(call[0]).endsWith("/generate-sync")) {
      response.clone().arrayBuffer().then((bytes) => {
        window.lastDocument = btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join(""));
      });
    }
    return response;
  };`;

function emulate(cwd: string, ...args: string[]): Promise<RunningProgram> {
  const command = [join(repository, "dist/cli/main.js"), "emulate", ...args, "--key", apiKey];
  return startProgram(process.execPath, command, { cwd, ready: /:(\d+)[\s\S]*^Ctrl-C/m });
}

describe.each([
  ["chromium", "pdf.js", repository],
  ["firefox", "its own viewer", undefined],
] as const)("the playground in %s with %s", { timeout: 120_000 }, (name, _viewer, cwd) => {
  const { path: folder, remove } = makeTemporaryFolder("playground");
  const file = join(folder, "invoice.json");
  let emulator: RunningProgram;
  let browser: Browser;
  let page: Page;
  let complaints: string[];
  const requested: string[] = [];

  const startEmulator = (port: string) => emulate(cwd ?? folder, folder, "--port", port);

  beforeAll(async () => {
    writeFileSync(file, invoice("Invoice"));
    writeFileSync(join(folder, "letter.json"), '{ "content": ["Dear {{name}}"] }');
    emulator = await startEmulator("0");
    browser = await launch(name);
    ({ page, complaints } = await openPage(browser, "about:blank"));
    page.on("request", (request) => requested.push(request.url()));
    await page.evaluateOnNewDocument(prepare);
    await page.setViewport({ width: 1500, height: 900 });
    // The page keeps an event stream open, so the network is never idle.
    await page.goto(`${emulator.origin}/`);
    await until("$('.preview code')");
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await emulator?.stop();
    remove();
  });

  const documentText = async () => {
    const base64 = await page.evaluate<string>("window.lastDocument");
    return (await readPdf(Buffer.from(base64, "base64"))).text;
  };
  const at = (selector: string) => `$(${JSON.stringify(selector)})`;
  const until = (expression: string) => page.waitForFunction(expression);
  const textOf = (selector: string) => page.evaluate<string>(`${at(selector)}?.innerText ?? ""`);
  const press = (label: string) =>
    page.evaluate(
      `[...document.querySelectorAll("button")].find((each) => each.innerText.startsWith(${JSON.stringify(label)})).click()`,
    );
  const field = (...path: (string | number)[]) => `[id='field ${JSON.stringify(path)}']`;
  const type = async (selector: string, text: string) => {
    await page.click(selector);
    await page.evaluate(`${at(selector)}.select()`);
    await page.keyboard.type(text);
  };
  /** Does something, and waits until the page shows another document. */
  const untilNext = async (action: () => unknown) => {
    const before = await textOf(".preview code");
    await action();
    await until(`$('.preview code')?.innerText !== ${JSON.stringify(before)}`);
  };
  const json = () =>
    page.evaluate<string>(
      "[...document.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\\n')",
    );

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
      await until("$('.json .fault')?.innerText !== ''");
      expect(await page.evaluate("$('form fieldset').disabled")).toBe(true);
      await page.keyboard.press("Backspace");
      await until("$('.json .fault')?.innerText === ''");
      expect(await page.evaluate("$('form fieldset').disabled")).toBe(false);
    });

    it("adds and removes list items", async () => {
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
      const body = JSON.stringify({ number: "from elsewhere", lines: [] });
      const json = { authorization: `API-Key ${apiKey}`, "content-type": "application/json" };
      const headers = { ...json, "x-trace": "t-7", "x-emulator-latency": "1500" };
      const url = `${emulator.origin}/api/v1/templates/invoice/generate-sync`;
      await (await fetch(url, { method: "POST", headers, body })).arrayBuffer();
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
        `localStorage.setItem("template-pdf values of invoice", ${stored})`,
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
      [1500, "dark"],
      [390, "light"],
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
    expect(complaints.filter((text) => !isKnown(text))).toEqual([]);
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
