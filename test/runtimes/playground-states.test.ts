import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventually, eventuallyEquals } from "../support/eventually.ts";
import type { RunningProgram } from "../support/programs.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { type Browser, launch } from "./browsers.ts";
import { at, callAsApplication, emulate, field, openTab, repository } from "./playground-page.ts";

/** Tests what the page of the emulator shows while values, templates and faults change, in real browsers. */

const sample = { number: "2026-0117", count: 2, rate: 0.5 };
const invoice = JSON.stringify({
  sample,
  content: [
    "Invoice {{number}}",
    "{{count}} at {{rate}}",
    { $if: "pages", $show: { $each: "pages", $show: { text: "{{this}}", pageBreak: "before" } } },
  ],
});
const letter = JSON.stringify({ sample: { name: "Zoë" }, content: ["Dear {{name}}"] });
/** Fails with its own values, and also with those of its sample. */
const choosy = `export const sample = { name: "Zoë" };
export default ({ name }) => { throw new Error(name === "Zoë" ? "first reason" : "second reason"); };`;
/** Renders when the file `go` exists in a folder, in which it also says that it has begun. Changes in the template folder would render it again. */
const slowIn = (folder: string) => `import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
export const sample = { name: "Zoë" };
export default async ({ name }) => {
  writeFileSync(join(${JSON.stringify(folder)}, "begun." + name), "");
  while (!existsSync(join(${JSON.stringify(folder)}, "go"))) await new Promise((resolve) => setTimeout(resolve, 20));
  return { content: name };
};`;

describe.each(["chromium", "firefox"] as const)("the playground in %s", { timeout: 120_000 }, (name) => {
  const { path: folder, remove } = makeTemporaryFolder("playground-states");
  const signals = makeTemporaryFolder("signals");
  const signal = (file: string) => join(signals.path, file);
  let emulator: RunningProgram;
  let browser: Browser;
  let tab: Awaited<ReturnType<typeof openTab>>;

  const open = async (uid: string) => {
    const opened = await openTab(browser);
    await opened.page.goto(`${emulator.origin}/#${uid}`);
    await opened.until("$('form fieldset')");
    return opened;
  };
  const valueIn = (...path: string[]) => tab.page.evaluate(`${at(field(...path))}.value`);
  const untilValue = (value: string, ...path: string[]) =>
    tab.until(`${at(field(...path))}?.value === ${JSON.stringify(value)}`);

  beforeAll(async () => {
    writeFileSync(join(folder, "choosy.mjs"), choosy);
    writeFileSync(join(folder, "invoice.json"), invoice);
    writeFileSync(join(folder, "letter.json"), letter);
    writeFileSync(join(folder, "slow.mjs"), slowIn(signals.path));
    writeFileSync(signal("go"), "");
    emulator = await emulate(repository, folder, "--port", "0");
    browser = await launch(name);
  }, 120_000);
  beforeEach(async () => {
    writeFileSync(signal("go"), "");
    tab = await open("invoice");
    await tab.untilState("ready");
  });
  afterEach(async () => {
    // Another tab begins with the values that were edited last.
    await tab.page.evaluate("localStorage.clear()");
    await tab.page.close();
  });
  afterAll(async () => {
    await browser?.close();
    await emulator?.stop();
    remove();
    signals.remove();
  });

  it("undoes only changes of the template that is shown, and never its sample", async () => {
    await tab.page.click(field("number"));
    await tab.undo();
    expect(JSON.parse(await tab.json())).toEqual(sample);
    await tab.type(field("number"), "mine");
    await tab.selectTemplate("letter");
    await untilValue("Zoë", "name");
    await tab.page.click(".cm-content");
    await tab.undo();
    await tab.page.click(field("name"));
    await tab.undo();
    expect(JSON.parse(await tab.json())).toEqual({ name: "Zoë" });
    await tab.selectTemplate("invoice");
    await untilValue("mine", "number");
    await tab.page.click(field("number"));
    await tab.undo();
    await eventuallyEquals(async () => JSON.parse(await tab.json()), sample);
  });

  it("says where the JSON is invalid, marks the document as out of date, and keeps the last valid code", async () => {
    await tab.typeJson('{"number": "typed", "count": 2, "rate": 1}');
    await untilValue("typed", "number");
    await tab.untilState("ready");
    await tab.typeJson('{"number": }');
    await tab.until("$('.objection').innerText === 'Line 1, column 12: expected a value.'");
    await tab.expectVisible(".objection");
    await tab.untilState("stale");
    expect(await tab.textOf(".pending")).toBe("Out of date: Line 1, column 12: expected a value.");
    await tab.press("Code");
    await tab.until(`$('section[aria-label="fetch"]')`);
    expect(await tab.textOf('section[aria-label="fetch"] pre')).toContain('"number": "typed"');
    expect(await tab.textOf(".code .warning")).toContain("The code contains the last valid values.");
  });

  it.each(["12,5", "abc", "1e400", "12345678901234567890"])(
    "does not send `%s` as a number",
    async (text) => {
      await tab.type(field("count"), text);
      const fault = `[id='field ["count"] fault']`;
      await tab.until(`${at(fault)}?.innerText.startsWith(${JSON.stringify(`${text} `)})`);
      await tab.untilState("stale");
      expect(await tab.textOf(".pending")).toMatch(/^Out of date: The field count /);
      await tab.page.click(field("number"));
      expect(await valueIn("count")).toBe(text);
      await tab.type(field("count"), "12.5");
      await tab.until(`!${at(fault)}`);
      await tab.untilState("ready");
      await eventually(async () => (await tab.documentText()).includes("12.5 at 0.5"));
    },
  );

  it.each(["1e400", "12345678901234567890"])("does not change `%s` in the JSON", async (text) => {
    await tab.typeJson(`{"number": ${text}}`);
    await tab.until("$('.objection').innerText.startsWith('Line 1, column 12: this number')");
    expect(await tab.json()).toBe(`{"number": ${text}}`);
    await tab.untilState("stale");
  });

  it("keeps the values of two tabs apart, also after they are reloaded", async () => {
    const other = await open("invoice");
    await tab.page.bringToFront();
    await tab.type(field("number"), "first tab");
    await other.page.bringToFront();
    await other.type(field("number"), "second tab");
    await other.page.evaluate("location.reload()");
    await tab.page.evaluate("location.reload()");
    await other.until(`${at(field("number"))}?.value === "second tab"`);
    // Background tabs are not drawn.
    await tab.page.bringToFront();
    await untilValue("first tab", "number");
    await other.page.close();
  });

  it("takes values only from files that contain them, and can restore the last ones", async () => {
    for (const [file, text] of [
      ["menu.csv", "a,b\n1,2"],
      ["logo.png", "\u0089PNG\r\n"],
      ["list.json", "[1]"],
    ] as const) {
      await tab.dropFile(file, text);
      await tab.until(
        `$('.objection').innerText.startsWith(${JSON.stringify(`${file} does not contain values`)})`,
      );
      await tab.expectVisible(".objection");
      expect(JSON.parse(await tab.json())).toEqual(sample);
    }
    await tab.dropFile("values.json", '{"number": "dropped"}');
    await untilValue("dropped", "number");
    expect(await tab.textOf(".objection")).toBe("");
    await tab.press("Undo");
    await untilValue("2026-0117", "number");
  });

  it("can restore the values after those of a request were used", async () => {
    await tab.type(field("number"), "mine");
    await callAsApplication(emulator.origin, "invoice", { number: "theirs" });
    await tab.press("Requests");
    await tab.page.evaluate(
      `$("#calls").value = "Applications"; $("#calls").dispatchEvent(new Event("change"))`,
    );
    await tab.until("$('.requests tbody button')");
    await tab.page.evaluate("$('.requests tbody button').click()");
    await tab.until("$('.requests pre')");
    await tab.press("Use these values");
    await untilValue("theirs", "number");
    await tab.press("Undo");
    await untilValue("mine", "number");
  });

  it("shows that a slow template is rendered, and no error, until its document is ready", async () => {
    rmSync(signal("go"));
    await tab.selectTemplate("slow");
    await tab.untilState("loading");
    await tab.until("/^Rendering… +[1-9]/.test($('.pending').innerText)");
    expect(await tab.textOf(".problem")).toBe("");
    writeFileSync(signal("go"), "");
    await tab.untilState("ready");
    expect(await tab.textOf(".pending")).toBe("");
    rmSync(signal("go"));
    await tab.type(field("name"), "Ana");
    await tab.untilState("stale");
    await tab.until("$('.pending').innerText.startsWith('Rendering…')");
    await tab.expectVisible(".pending");
    writeFileSync(signal("go"), "");
    await tab.untilState("ready");
    await eventually(async () => (await tab.documentText()).includes("Ana"));
  });

  it("shows a document as waiting while calls of an application keep all threads busy", async () => {
    rmSync(signal("go"));
    const calls = [1, 2, 3, 4].map((call) =>
      callAsApplication(emulator.origin, "slow", { name: `call${call}` }),
    );
    await eventually(() => [1, 2].every((call) => existsSync(signal(`begun.call${call}`))));
    await tab.type(field("number"), "waits");
    await tab.until("$('.pending').innerText.startsWith('Waiting for a free rendering thread…')");
    writeFileSync(signal("go"), "");
    await tab.untilState("ready");
    expect(new Set(await Promise.all(calls))).toEqual(new Set([200]));
  });

  it("shows the reason of its own document, not that of another one", async () => {
    await tab.selectTemplate("choosy");
    await tab.until("$('.problem')?.innerText.includes('first reason')");
    await tab.type(field("name"), "Ana");
    await tab.until("$('.problem')?.innerText.includes('second reason')");
    expect(await tab.textOf(".templates .fault")).toContain("first reason");
    await callAsApplication(emulator.origin, "choosy", { name: "Zoë" });
    expect(await tab.textOf(".problem")).toContain("second reason");
  });

  it("keeps faults for applications, and what is typed there while they call", async () => {
    await tab.press("Faults");
    await tab.page.click("[id='fault html']");
    await tab.until("$('[id=\"rule html\"]')");
    await tab.type("[id='rule html']", "first 2");
    for (let call = 0; call < 5; call++) await callAsApplication(emulator.origin, "letter", {});
    expect(await tab.page.evaluate(`$("[id='rule html']").value`)).toBe("first 2");
    await tab.page.keyboard.press("Enter");
    await tab.page.click("#latency");
    await tab.press("Preview");
    await tab.untilNext(() => tab.type(field("number"), "with faults"));
    expect(await tab.textOf(".problem")).toBe("");
    await tab.press("Faults");
    await tab.type("[id='rule html']", "sometimes");
    await tab.page.keyboard.press("Enter");
    await tab.until(`$("[id='rule html fault']")?.innerText.includes("is not a fault rule")`);
    expect(await tab.page.evaluate(`$("[id='rule html']").value`)).toBe("sometimes");
    await tab.page.click("[id='fault html']");
    await tab.until("!$('[id=\"rule html\"]')");
  });

  it("changes only the log when applications call", async () => {
    await tab.until("!/waiting|rendering/.test($('.templates').innerText) && $('.pages canvas')");
    await tab.page.evaluate(`
      window.changes = [];
      const elementOf = ({ target }) => (target instanceof Element ? target : target.parentElement);
      new MutationObserver((records) => {
        const others = records.map(elementOf).filter((each) => each?.isConnected && !each.closest(".requests tbody"));
        window.changes.push(...others.map(({ outerHTML }) => outerHTML));
      }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });`);
    const others = () => tab.page.evaluate<string[]>("window.changes.splice(0)");
    for (let call = 0; call < 100; call++) await callAsApplication(emulator.origin, "missing", {});
    expect(await others()).toEqual([]);
    await tab.press("Requests");
    await tab.until("document.querySelectorAll('.requests tbody tr').length >= 100");
    await others();
    const latest = "$('.requests tbody td').parentElement.innerText";
    const before = await tab.page.evaluate(latest);
    await callAsApplication(emulator.origin, "choosy", { name: "last" });
    await tab.until(`${latest} !== ${JSON.stringify(before)}`);
    expect(await others()).toEqual([]);
  });

  it("fits pages to their place, and follows the page that is shown", async () => {
    await tab.page.setViewport({ width: 1000, height: 700 });
    await tab.page.evaluate("location.reload()");
    await tab.untilState("ready");
    await tab.typeJson('{"number": "one", "count": 2, "rate": 0.5, "pages": ["a", "b", "c"]}');
    await tab.until("document.querySelectorAll('.pages canvas').length === 4");
    const isFit = "$('.pages').scrollWidth <= $('.pages').clientWidth";
    await tab.until(isFit);
    await tab.page.evaluate(
      "$('.pages').scrollTop = $('.pages canvas:nth-child(3)').offsetTop - $('.pages').offsetTop",
    );
    await tab.until("$('.pager').innerText.includes('Page 3 of 4')");
    await tab.page.evaluate("$('[aria-label=\"Zoom in\"]').click()");
    await tab.until(`!(${isFit})`);
    await tab.press("Fit width");
    await tab.until(isFit);
  });

  it("says that the folder is empty or gone, shows templates again when they are back, and creates the first one", async () => {
    const other = makeTemporaryFolder("emptied");
    writeFileSync(join(other.path, "letter.json"), letter);
    const emptied = await emulate(repository, other.path, "--port", "0");
    const shown = await openTab(browser);
    await shown.page.goto(`${emptied.origin}/`);
    await shown.untilState("ready");
    renameSync(join(other.path, "letter.json"), signal("kept"));
    await shown.until("$('.first')?.innerText.includes('This folder has no templates yet')");
    expect(await shown.page.evaluate("document.body.innerText")).not.toMatch(/Rendering|Loading/);
    renameSync(signal("kept"), join(other.path, "letter.json"));
    await shown.untilState("ready");
    rmSync(other.path, { recursive: true });
    await shown.until("$('.first')?.innerText.includes('does not exist')");
    await shown.press("Create invoice.json");
    await shown.until("$('.templates').innerText.includes('invoice.json, 1 page')");
    await shown.untilState("ready");
    await eventually(async () => (await shown.documentText()).includes("Invoice 2026-0117"));
    await shown.page.close();
    await emptied.stop();
    other.remove();
  });

  it("shows the selected one of many templates first, and finds others by name", async () => {
    const other = makeTemporaryFolder("many");
    for (let index = 0; index < 60; index++) writeFileSync(join(other.path, `letter${index}.json`), letter);
    const many = await emulate(repository, other.path, "--port", "0");
    const shown = await openTab(browser);
    await shown.page.goto(`${many.origin}/#letter9`);
    await shown.untilState("ready");
    await shown.expectVisible(".templates [aria-current]");
    await shown.until("!/waiting|rendering/.test($('.templates').innerText)");
    const listed = await shown.textOf(".templates ul");
    expect({
      ready: listed.match(/, 1 page/g)?.length,
      selected: await shown.textOf("[aria-current=true] strong"),
    }).toEqual({
      ready: 60,
      selected: "letter9",
    });
    expect(await shown.textOf(".templates .fault")).toBe("");
    await shown.type("[type=search]", "letter42");
    await shown.until("document.querySelectorAll('.templates li').length === 1");
    await shown.selectTemplate("letter42");
    await shown.untilState("ready");
    await shown.page.close();
    await many.stop();
    other.remove();
  });
});
