import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { readPdf } from "../support/pdf-text.ts";
import { type RunningProgram, startProgram } from "../support/programs.ts";
import { type Browser, openPage, type Page } from "./browsers.ts";

export const repository = fileURLToPath(new URL("../..", import.meta.url));
export const apiKey = "key-of-the-playground";

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

/** Starts the command in a folder. */
export function emulate(cwd: string, ...args: string[]): Promise<RunningProgram> {
  const command = [join(repository, "dist/cli/main.js"), "emulate", ...args, "--key", apiKey];
  return startProgram(process.execPath, command, { cwd, ready: /:(\d+)[\s\S]*^Ctrl-C/m });
}

/** Calls the service as an application does. */
export async function callAsApplication(
  origin: string,
  uid: string,
  values: object,
  more = {},
): Promise<number> {
  const headers = { authorization: `API-Key ${apiKey}`, "content-type": "application/json", ...more };
  const body = JSON.stringify(values);
  const url = `${origin}/api/v1/templates/${uid}/generate-sync`;
  const response = await fetch(url, { method: "POST", headers, body });
  await response.arrayBuffer();
  return response.status;
}

/** Returns the selector of a field of the form. */
export function field(...path: (string | number)[]): string {
  return `[id='field ${JSON.stringify(path)}']`;
}

/** Returns the expression for the element that a selector finds. */
export function at(selector: string): string {
  return `$(${JSON.stringify(selector)})`;
}

/** Opens a tab without an address, and what a test does in it. */
export async function openTab(browser: Browser) {
  const { page, complaints } = await openPage(browser, "about:blank");
  await page.evaluateOnNewDocument(prepare);
  await page.setViewport({ width: 1500, height: 900 });
  return { page, complaints, ...actionsIn(page) };
}

function actionsIn(page: Page) {
  const until = (expression: string) => page.waitForFunction(expression);
  const textOf = (selector: string) => page.evaluate<string>(`${at(selector)}?.innerText ?? ""`);
  return {
    until,
    textOf,
    documentText: async () => {
      const base64 = await page.evaluate<string>("window.lastDocument");
      return (await readPdf(Buffer.from(base64, "base64"))).text;
    },
    press: (label: string) =>
      page.evaluate(
        `[...document.querySelectorAll("button")].find((each) => each.innerText.startsWith(${JSON.stringify(label)})).click()`,
      ),
    type: async (selector: string, text: string) => {
      await page.click(selector);
      await page.evaluate(`${at(selector)}.select()`);
      await page.keyboard.type(text);
    },
    /** Does something, and waits until the page shows another document. */
    untilNext: async (action: () => unknown) => {
      const before = await textOf(".preview code");
      await action();
      await until(`$('.preview code')?.innerText !== ${JSON.stringify(before)}`);
    },
    /** Returns the text in the JSON editor. */
    json: () =>
      page.evaluate<string>(
        "[...document.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\\n')",
      ),
    /** Replaces the text in the JSON editor. */
    typeJson: async (text: string) => {
      await page.click(".cm-content");
      await withControl(page, "a");
      await page.evaluate(`document.execCommand("insertText", false, ${JSON.stringify(text)})`);
    },
    undo: () => withControl(page, "z"),
    selectTemplate: async (uid: string) => {
      const button = `[...document.querySelectorAll(".templates button")].find((each) => each.querySelector("strong").innerText === ${JSON.stringify(uid)})`;
      await until(button);
      await page.evaluate(`${button}.click()`);
      await until(`location.hash === ${JSON.stringify(`#${uid}`)}`);
    },
    /** Waits for the state of the document: `loading`, `ready`, `stale` or `refused`. */
    untilState: (state: string) => until(`$('.preview')?.dataset.state === ${JSON.stringify(state)}`),
    dropFile: (name: string, text: string) =>
      page.evaluate(`{
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
        $(".values").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
      }`),
    /** Whether an element is where the user sees it. */
    expectVisible: async (selector: string) => {
      const isVisible = `(() => {
        const { left, top, width, height } = ${at(selector)}.getBoundingClientRect();
        const shown = document.elementFromPoint(left + width / 2, top + height / 2);
        return ${at(selector)}.contains(shown);
      })()`;
      expect(await page.evaluate<boolean>(isVisible)).toBe(true);
    },
  };
}

async function withControl(page: Page, key: string): Promise<void> {
  await page.keyboard.down("Control");
  await page.keyboard.press(key);
  await page.keyboard.up("Control");
}
