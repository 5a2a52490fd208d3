import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runtimesFolder } from "../../scripts/runtimes.mjs";
import { fakePdf } from "../../src/testing/fake-pdf.ts";
import { readPdf } from "../support/pdf-text.ts";
import { outputOf, type RunningProgram, startProgram } from "../support/programs.ts";
import { type Received, saying } from "../support/service.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { type Browser, launch, type Page, readDownload } from "./browsers.ts";
import { useWorkspace } from "./mocks/workspace.ts";
import { noAnswer, ScriptedService } from "./scripted-service.ts";

/** Tests examples/browser with the packed package in real browsers, with the keyboard. */

const values = { customer: "Εκδόσεις Αθηνά", amount: "640.00", work: "Two hundred cards" };
const apiKey = "key-that-no-page-may-ever-see";

/** Repeats a test only if the driver reports a key too late in Firefox, which is a fault of the driver. */
const answersWithinMs = 20_000;
const unlessTheDriverHangs = {
  timeout: 240_000,
  retry: { count: 3, condition: /^input\.performActions timed out/ },
};

/** A time zone whose date differs from the date in UTC. */
const isMorning = new Date().getUTCHours() < 11;
const zone = isMorning ? "Etc/GMT+12" : "Etc/GMT-14";
const dateThere = () => new Date(Date.now() + (isMorning ? -12 : 14) * 3_600_000).toISOString().slice(0, 10);

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Returns a document with the number of the invoice. */
const documentOf = ({ body }: Received) => fakePdf({ text: JSON.parse(body).number, bytes: 400_000 });

function sendHead({ response }: Received, bytes: number): void {
  response.writeHead(200, { "content-type": "application/pdf", "content-length": bytes });
}

const workspace = useWorkspace();
let service: ScriptedService;
let example: string;
const servers: RunningProgram[] = [];
const origins = {} as Record<"dev" | "built", string>;

/** Starts a server of the example with a script of its package.json. */
async function startServer(script: string, env: Record<string, string>, ...flags: string[]): Promise<string> {
  const ready = /^Page: +http:\/\/127\.0\.0\.1:(\d+)\/$/m;
  const args = ["run", script, "--", "--port", "0", ...flags];
  const server = await startProgram("npm", args, { cwd: example, env, ready });
  servers.push(server);
  return server.origin;
}

beforeAll(async () => {
  service = await ScriptedService.start((received) => {
    const document = documentOf(received);
    sendHead(received, document.length);
    received.response.end(document);
  });
  [example = ""] = await workspace.installExamples(["browser"]);
  await outputOf("npm", ["run", "build"], { cwd: example });
  const env = { TEMPLATE_PDF_BASE_URL: service.baseUrl, TEMPLATE_PDF_API_KEY: apiKey };
  origins.dev = await startServer("start", env);
  origins.built = await startServer("start:built", env);
}, 600_000);

afterAll(async () => {
  for (const server of servers) await server.stop();
  await service?.close();
}, 60_000);

it("examples/browser requires a session, and can simulate faults", async () => {
  const origin = await startServer("start", {}, "--fault", "429 retry-after 900 every 2");
  const [session = ""] = (await fetch(origin, { headers: { accept: "text/html" } })).headers.getSetCookie();
  expect(session).toMatch(/^session=[\da-f-]{36}; HttpOnly; SameSite=Strict; Path=\/$/);
  const call = (cookie: string) =>
    fetch(`${origin}/api/pdf/api/v1/templates/invoice/generate-sync`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie },
      body: JSON.stringify({ ...values, date: "2026-11-20" }),
    });
  expect((await call("")).status).toBe(401);
  const allowed = await call(session.replace(/;.*/, ""));
  const { text } = await readPdf(new Uint8Array(await allowed.arrayBuffer()));
  expect(text).toMatch(/20 November 2026[\s\S]*£640\.00/);
  expect((await call(session.replace(/;.*/, ""))).headers.get("retry-after")).toBe("900");
});

describe.each([
  ["chromium", "light"],
  ["firefox", "dark"],
] as const)("examples/browser in %s with the %s color scheme", unlessTheDriverHangs, (name, scheme) => {
  const downloads = makeTemporaryFolder("downloads");
  let browser: Browser;
  let page: Page;
  /** Errors and warnings of the console, except those of the browser's PDF viewer. */
  let complaints: string[];
  let urls: Set<string>;

  beforeAll(async () => {
    browser = await launch(name, { scheme, downloads: downloads.path, answersWithinMs });
  }, 300_000);

  afterAll(async () => {
    await browser?.close();
    downloads.remove();
  }, 60_000);

  async function open(mode: "dev" | "built" = "built"): Promise<void> {
    service.answer();
    complaints = [];
    urls = new Set();
    await page?.close();
    page = await browser.newPage();
    page.on("console", (message) => {
      const isOfPage = /^(?:https?:|$)/.test(message.location().url ?? "");
      if (isOfPage && /^(?:error|warn)/.test(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => /^(?:http|ws)/.test(request.url()) && urls.add(request.url()));
    // Firefox always uses the time zone of the machine.
    if (name === "chromium") await page.emulateTimezone(zone);
    await page.setViewport({ width: 1440, height: 900 });
    await page.evaluateOnNewDocument(`
      const { createObjectURL } = URL;
      URL.createObjectURL = (blob) => createObjectURL.call(URL, (globalThis.shown = blob));`);
    await page.goto(`${origins[mode]}/`);
    // The keyboard controls the page in front.
    await page.bringToFront();
  }

  const focused = () => page.evaluate<string>("document.activeElement.id");
  const textOf = (selector: string) =>
    page.evaluate<string>(`document.querySelector(${JSON.stringify(selector)}).textContent`);

  /** Presses Tab until an element has the focus, and then a key. */
  async function tabTo(id: string): Promise<void> {
    // A date field has a tab stop for each of its parts.
    for (let stops = 0; stops < 12 && (await focused()) !== id; stops++) await page.keyboard.press("Tab");
    expect(await focused()).toBe(id);
  }

  /** Fills in the form and submits it. */
  async function order(given: typeof values): Promise<void> {
    for (const id of ["customer", "amount", "work"] as const) {
      await tabTo(id);
      await page.keyboard.type(given[id]);
    }
    await tabTo("make");
    await page.keyboard.press("Enter");
  }

  /** Requests a document, and sends its first half. */
  async function orderHalf() {
    service.answer(noAnswer);
    const coming = service.next();
    await order(values);
    const received = await coming;
    const document = documentOf(received);
    expect(await page.evaluate("progress.matches(':indeterminate')")).toBe(true);
    sendHead(received, document.length);
    received.response.write(document.subarray(0, document.length / 2));
    await page.waitForFunction("progress.value === 50");
    const sendRest = () => received.response.end(document.subarray(document.length / 2));
    return { closed: received.closed, sendRest };
  }

  const untilShown = () => page.waitForFunction(`frame.src.startsWith("blob:")`);
  const untilNotice = () => page.waitForFunction(`document.querySelector("#notice p")`);

  // One browser is enough for the development server.
  it.each(name === "chromium" ? (["dev", "built"] as const) : (["built"] as const))(
    "shows and saves a document without receiving the API key (server: %s)",
    async (mode) => {
      await open(mode);
      if (name === "chromium") expect(await page.evaluate("date.value")).toBe(dateThere());
      await order(values);
      await untilShown();
      const received = service.requests.at(-1) as Received;
      const sent = JSON.parse(received.body);
      expect(sent).toMatchObject({ customer: values.customer, work: values.work, amount: "£640.00" });
      expect({ focused: await focused(), title: await textOf("#tray-title") }).toEqual({
        focused: "tray-title",
        title: `Invoice ${sent.number}`,
      });
      const shown = await page.evaluate(`shown.arrayBuffer()
      .then((bytes) => crypto.subtle.digest("SHA-256", bytes))
      .then((hash) => [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join(""))`);
      expect(shown).toBe(sha256(documentOf(received)));
      expect(complaints).toEqual([]);
      for (const url of urls) {
        expect(new URL(url).host).toBe(new URL(origins[mode]).host);
        const response = await fetch(url.replace(/^ws/, "http"));
        const received = JSON.stringify([...response.headers]) + (await response.text());
        for (const secret of [apiKey, btoa(apiKey), new URL(service.baseUrl).host])
          expect(received).not.toContain(secret);
      }

      const { length } = service.requests;
      await tabTo("download");
      await page.keyboard.press("Enter");
      const saved = join(downloads.path, `Invoice ${sent.number}.pdf`);
      expect(sha256(await readDownload(saved))).toBe(shown);
      expect(service.requests).toHaveLength(length);
    },
  );

  it("is accessible in wide and narrow windows", async () => {
    await open();
    await page.evaluate(readFileSync(join(runtimesFolder, "node_modules/axe-core/axe.min.js"), "utf8"));
    // The frame is not checked, because it contains the browser's own viewer.
    const violations = `axe.run(document, { iframes: false }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html, failureSummary }) => html + " " + failureSummary).join("; ")))`;
    const judge = async (state: string) => {
      for (const width of [1440, 320]) {
        await page.setViewport({ width, height: 900 });
        expect(await page.evaluate(violations), `${state}, ${width} px`).toEqual([]);
        const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect(overflow, `${state}, ${width} px`).toBeLessThanOrEqual(0);
      }
    };
    const background = scheme === "light" ? "rgb(231, 225, 211)" : "rgb(18, 22, 28)";
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(background);
    await tabTo("make");
    await page.keyboard.press("Enter");
    await untilNotice();
    expect(await page.evaluate(`document.querySelectorAll("[aria-invalid=true]").length`)).toBe(3);
    await judge("refused");
    await page.evaluate("customer.focus()");
    const { sendRest } = await orderHalf();
    await judge("half of it has arrived");
    sendRest();
    await untilShown();
    await judge("shown");
  });

  /** The smoke tests cover cancellation and errors in Firefox, so one browser is enough for these tests of the page. */
  const inChromium = it.runIf(name === "chromium");
  inChromium("shows a document's progress without moving the focus out of a field", async () => {
    await open();
    const { sendRest } = await orderHalf();
    expect(await textOf("#status")).toBe("50 % of 400 kB");
    await page.evaluate("customer.focus()");
    sendRest();
    await page.waitForFunction(
      `document.querySelector("#status").textContent === "The invoice was generated."`,
    );
    expect({ progress: await page.evaluate("progress.value"), focused: await focused() }).toEqual({
      progress: 0,
      focused: "customer",
    });
  });

  inChromium.each([
    ["make", "Escape"],
    ["cancel", "Enter"],
  ])("lets the user abort the request by keyboard (focus: #%s, key: %s)", async (id, key) => {
    await open();
    const { closed } = await orderHalf();
    await tabTo(id);
    await page.keyboard.press(key as "Escape");
    await closed;
    await page.waitForFunction(`document.querySelector("#status").textContent.startsWith("Cancelled")`);
    expect(await focused()).toBe("make");
  });

  inChromium.each([
    [500, 3, /^The invoice could not be generated\. Try again in a minute\. .* request id: [\da-f-]{36}$/],
    [429, 1, /^There are too many requests\. Try again at \d\d:\d\d\.$/],
  ])(
    "explains a %i response without quoting the service's message (attempts: %i)",
    async (status, attempts, words) => {
      await open();
      const before = service.requests.length;
      const refusal = saying(status, "secret words", status === 429 ? { "retry-after": "900" } : {});
      service.answer(refusal, refusal, refusal);
      await order(values);
      await untilNotice();
      expect(await textOf("#notice p")).toMatch(words);
      expect(service.requests.length - before).toBe(attempts);
      expect(await textOf("body")).not.toContain("secret words");
    },
  );
});
