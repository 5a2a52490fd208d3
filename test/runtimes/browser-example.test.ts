import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fakePdf } from "../../src/testing/fake-pdf.ts";
import { readPdf } from "../support/pdf-text.ts";
import { outputOf, type RunningProgram, startProgram } from "../support/programs.ts";
import { type Received, saying } from "../support/service.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { RecordingProxy } from "./browser-example/recording-proxy.ts";
import { answersWithinMs, sha256, unlessTheDriverHangs, Visit } from "./browser-example/visit.ts";
import { type Browser, launch, readDownload } from "./browsers.ts";
import { runtimesFolder } from "./installed.ts";
import { useWorkspace } from "./mocks/workspace.ts";
import { noAnswer, ScriptedService } from "./scripted-service.ts";

/** Tests examples/browser with the packed package in real browsers. */

const values = { customer: "Εκδόσεις Αθηνά", amount: "640.00", work: "Two hundred cards" };
const apiKey = "key-that-no-page-may-ever-see";

/** Returns a document with the number of the invoice. */
const documentOf = ({ body }: Received) => fakePdf({ text: JSON.parse(body).number, bytes: 400_000 });

function sendHead({ response }: Received, bytes: number): void {
  response.writeHead(200, { "content-type": "application/pdf", "content-length": bytes });
}

const workspace = useWorkspace();
let service: ScriptedService;
let example: string;
const servers: RunningProgram[] = [];
const proxies = {} as Record<"dev" | "built", RecordingProxy>;

/** Starts a server of the example with a script of its package.json. */
function startServer(
  script: string,
  env: Record<string, string>,
  ...flags: string[]
): Promise<RunningProgram> {
  const ready = /^Page: +http:\/\/127\.0\.0\.1:(\d+)\/$/m;
  return startProgram("npm", ["run", script, "--", "--port", "0", ...flags], { cwd: example, env, ready });
}

beforeAll(async () => {
  service = await ScriptedService.start((received) => {
    // The cookie replaces the session of every server of this machine, because cookies have no ports.
    const { method, response } = received;
    if (method === "GET") {
      response.setHeader("set-cookie", "session=ended; HttpOnly; SameSite=Strict; Path=/").end();
      return;
    }
    const document = documentOf(received);
    sendHead(received, document.length);
    response.end(document);
  });
  [example = ""] = await workspace.installExamples(["browser"]);
  await outputOf("npm", ["run", "build"], { cwd: example });
  const env = { TEMPLATE_PDF_BASE_URL: service.baseUrl, TEMPLATE_PDF_API_KEY: apiKey };
  for (const mode of ["dev", "built"] as const) {
    const server = await startServer(mode === "dev" ? "start" : "start:built", env);
    servers.push(server);
    proxies[mode] = await RecordingProxy.start(server.origin);
  }
}, 180_000);

afterAll(async () => {
  for (const server of servers) await server.stop();
  for (const proxy of Object.values(proxies)) await proxy.close();
  await service.close();
}, 60_000);

it("the example starts with the emulator, whose latency and faults its flags set", {
  timeout: 60_000,
}, async () => {
  const server = await startServer("start", {}, "--fault", "429 retry-after 900 every 2");
  servers.push(server);
  const page = await fetch(server.origin, { headers: { accept: "text/html" } });
  const [cookie = ""] = page.headers.getSetCookie();
  expect(cookie).toMatch(/^session=[\da-f-]{36}; HttpOnly; SameSite=Strict; Path=\/$/);
  const ask = (session: string) =>
    fetch(`${server.origin}/api/pdf/api/v1/templates/invoice/generate-sync`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie: session },
      body: JSON.stringify({ ...values, date: "2026-11-20", number: "one of the page's own" }),
    });
  expect((await ask("")).status).toBe(401);
  const session = cookie.replace(/;.*/, "");
  const { text } = await readPdf(new Uint8Array(await (await ask(session)).arrayBuffer()));
  expect(text).toMatch(/20 November 2026[\s\S]*£640\.00/);
  expect(text).not.toContain("one of the page's own");
  const refused = await ask(session);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "900"]);
});

/** Requests a document, and sends its first half. */
async function orderHalf(visit: Visit) {
  service.answer(noAnswer);
  const coming = service.next();
  await visit.order(values);
  const received = await coming;
  const document = documentOf(received);
  expect(await visit.see("progress.matches(':indeterminate')")).toBe(true);
  sendHead(received, document.length);
  received.response.write(document.subarray(0, document.length / 2));
  await visit.until("progress.value === 50");
  return {
    closed: received.closed,
    sendRest: () => received.response.end(document.subarray(document.length / 2)),
  };
}

describe.each(["chromium", "firefox"] as const)("the example in %s", unlessTheDriverHangs, (name) => {
  const downloads = makeTemporaryFolder("downloads");
  let browser: Browser;
  let visit: Visit;

  beforeAll(async () => {
    browser = await launch(name, { downloads: downloads.path, answersWithinMs });
  }, 60_000);

  afterAll(async () => {
    await browser.close();
    downloads.remove();
  });

  async function open(mode: "dev" | "built" = "built"): Promise<void> {
    service.answer();
    await visit?.page.close();
    visit = await Visit.begin(browser, name, "light", `${proxies[mode].origin}/`);
  }

  it.each(["dev", "built"] as const)("shows a document, and never receives the key (%s)", async (mode) => {
    await open(mode);
    await visit.order(values);
    const shown = await visit.preview();
    const made = service.requests.at(-1) as Received;
    const sent = JSON.parse(made.body);
    expect(shown).toBe(sha256(documentOf(made)));
    expect(sent).toMatchObject({ customer: values.customer, work: values.work, amount: "£640.00" });
    expect(await visit.focused()).toBe("tray-title");
    expect(await visit.see(`document.querySelector("#tray-title").textContent`)).toBe(
      `Invoice ${sent.number}`,
    );
    expect(visit.complaints).toEqual([]);
    expect([...visit.origins]).toEqual([proxies[mode].origin]);
    const { received } = proxies[mode];
    expect(received).toContain("New invoice");
    expect(received).toContain("content-disposition: attachment");
    expect(received).not.toMatch(/^content-encoding:/im);
    for (const secret of [apiKey, btoa(apiKey), new URL(service.baseUrl).host])
      expect(received).not.toContain(secret);

    const { length } = service.requests;
    await visit.tabTo("download");
    await visit.page.keyboard.press("Enter");
    const saved = join(downloads.path, `Invoice ${sent.number}.pdf`);
    expect(sha256(await readDownload(saved))).toBe(shown);
    expect(service.requests).toHaveLength(length);
  });

  it("shows the progress from nothing to all of a document, and keeps the focus in a field", async () => {
    await open();
    const { sendRest } = await orderHalf(visit);
    expect(await visit.see(`document.querySelector("#status").textContent`)).toBe("50 % of 400 kB");
    expect(await visit.see(`document.querySelector("#make").getAttribute("aria-disabled")`)).toBe("true");
    await visit.page.evaluate("customer.focus()");
    sendRest();
    await visit.preview();
    expect(await visit.focused()).toBe("customer");
    const shown = await visit.see<[string | null, string][]>("shown");
    const percents = shown.flatMap(([value], at) =>
      !value || (value === "0" && at > 1) ? [] : [Number(value)],
    );
    expect(percents).toEqual(percents.toSorted((one, other) => one - other));
    expect(percents.at(-1)).toBe(100);
    expect(shown.at(-1)).toEqual(["0", "The invoice was generated."]);
  });

  it.each(["Escape", "the button"])("cancels by %s, which aborts the request to the service", async (how) => {
    await open();
    const { closed } = await orderHalf(visit);
    if (how !== "Escape") await visit.tabTo("cancel");
    await visit.page.keyboard.press(how === "Escape" ? "Escape" : "Enter");
    await closed;
    await visit.until(`document.querySelector("#status").textContent.startsWith("Cancelled")`);
    expect(await visit.focused()).toBe("make");
    expect(await visit.see("made")).toEqual([]);
    expect(visit.complaints).toEqual([]);
  });

  it("shows messages next to invalid fields, and sends nothing", async () => {
    await open();
    const before = service.requests.length;
    await visit.order({ customer: "Zoë", amount: "a lot", work: " " });
    expect(await visit.notice()).toBe("2 fields are invalid.");
    expect(await visit.focused()).toBe("amount");
    const described = `[...document.querySelectorAll("[aria-invalid=true]")].map((field) => [
      field.id, document.getElementById(field.getAttribute("aria-describedby")).textContent])`;
    expect(await visit.see(described)).toEqual([
      ["amount", "Enter an amount such as 640.00."],
      ["work", "Enter the work."],
    ]);
    expect(service.requests).toHaveLength(before);
  });

  it.each([
    [
      500,
      3,
      /^The invoice could not be generated\. Try again in a minute\. .* send us this request id: [\da-f-]{36}$/,
    ],
    [429, 1, /^There are too many requests\. Try again at \d\d:\d\d\.$/],
  ])(
    "explains a %i of the service after %i attempts without the response message",
    async (status, attempts, notice) => {
      await open();
      const before = service.requests.length;
      const refusal = saying(status, "secret words", status === 429 ? { "retry-after": "900" } : {});
      service.answer(refusal, refusal, refusal);
      await visit.order(values);
      expect(await visit.notice()).toMatch(notice);
      expect(service.requests.length - before).toBe(attempts);
      const said = await visit.see<[unknown, string][]>("shown");
      expect(said.some(([, text]) => /^The request failed\. Retrying in/.test(text))).toBe(attempts > 1);
      expect(proxies.built.received).not.toContain("secret words");
    },
  );

  it("offers to sign in again when the session has ended", async () => {
    await open();
    const other = await browser.newPage();
    await other.goto(`${service.baseUrl}/sign-out`);
    await other.close();
    await visit.page.bringToFront();
    await visit.order(values);
    expect(await visit.notice()).toBe("Your session has ended. Reload the page to sign in.");
    await visit.page.evaluate("globalThis.isOld = true");
    await visit.page.keyboard.press("Tab");
    await visit.page.keyboard.press("Enter");
    await visit.until(`!globalThis.isOld && document.readyState === "complete"`);
  });
});

it("the example starts with the date in the time zone of its user", unlessTheDriverHangs, async () => {
  // The time zone has another date than UTC. Firefox always uses the time zone of the machine.
  const isMorning = new Date().getUTCHours() < 11;
  const browser = await launch("chromium", { answersWithinMs });
  const page = await browser.newPage();
  await page.emulateTimezone(isMorning ? "Etc/GMT+12" : "Etc/GMT-14");
  await page.goto(`${proxies.built.origin}/`);
  const there = new Date(Date.now() + (isMorning ? -12 : 14) * 3_600_000).toISOString().slice(0, 10);
  expect(await page.evaluate("date.value")).toBe(there);
  await browser.close();
});

describe.each([
  ["chromium", "light"],
  ["firefox", "dark"],
] as const)("the example in %s, %s", (name, scheme) => {
  it("is accessible in each of its states, wide and narrow", unlessTheDriverHangs, async () => {
    const browser = await launch(name, { scheme, answersWithinMs });
    service.answer();
    const visit = await Visit.begin(browser, name, scheme, `${proxies.built.origin}/`);
    await visit.page.evaluate(readFileSync(join(runtimesFolder, "node_modules/axe-core/axe.min.js"), "utf8"));
    // Not in the frame, because its viewer is the browser's own.
    const violations = `axe.run(document, { iframes: false }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html, failureSummary }) => html + " " + failureSummary).join("; ")))`;
    const judge = async (state: string) => {
      for (const width of [1440, 320]) {
        await visit.page.setViewport({ width, height: 900 });
        expect(await visit.page.evaluate(violations), `${state}, ${width} px`).toEqual([]);
        const overflow = await visit.see("document.documentElement.scrollWidth - innerWidth");
        expect(overflow, `${state}, ${width} px`).toBeLessThanOrEqual(0);
      }
    };
    const background = scheme === "light" ? "rgb(231, 225, 211)" : "rgb(18, 22, 28)";
    expect(await visit.see("getComputedStyle(document.body).backgroundColor")).toBe(background);
    await judge("empty");
    await visit.tabTo("make");
    await visit.page.keyboard.press("Enter");
    await visit.until(`document.querySelector("[aria-invalid]")`);
    await judge("refused");
    await visit.page.evaluate("customer.focus()");
    const { sendRest } = await orderHalf(visit);
    await judge("half of it has arrived");
    sendRest();
    await visit.preview();
    await judge("shown");
    service.answer(saying(429, "", { "retry-after": "900" }));
    await visit.page.evaluate("make.focus()");
    await visit.page.keyboard.press("Enter");
    await visit.notice();
    await judge("failed");
    await browser.close();
  });
});
