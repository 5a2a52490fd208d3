import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { readPdf } from "../support/pdf-text.ts";
import type { RunningProgram } from "../support/programs.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { Example, pinned } from "./browser-example/example.ts";
import { RecordingProxy } from "./browser-example/recording-proxy.ts";
import { ScriptedService } from "./browser-example/scripted-service.ts";
import { testFocus } from "./browser-example/test-focus.ts";
import { testLocalDay } from "./browser-example/test-local-day.ts";
import { testLooks } from "./browser-example/test-looks.ts";
import { answersWithinMs, unlessTheDriverHangs } from "./browser-example/unless-the-driver-hangs.ts";
import { sha256, Visit } from "./browser-example/visit.ts";
import { type Browser, type BrowserName, launch } from "./browsers.ts";

/** examples/browser, from the packed package, in real browsers. */

const values = { customer: "Εκδόσεις Αθηνά", amount: "640.00", work: "Two hundred cards" };

const example = new Example();
const service = new ScriptedService();
const proxies = { dev: new RecordingProxy(), built: new RecordingProxy() };
const servers: RunningProgram[] = [];

beforeAll(async () => {
  await Promise.all([example.install(), service.start()]);
  await example.npm("run", "build");
  for (const [mode, script] of [
    ["dev", "start"],
    ["built", "start:built"],
  ] as const) {
    const server = await example.start(script, service);
    servers.push(server);
    await proxies[mode].start(server.origin);
  }
}, 180_000);

afterAll(async () => {
  for (const server of servers) await server.stop();
  for (const proxy of Object.values(proxies)) await proxy.stop();
  await service.stop();
  example.remove();
}, 60_000);

beforeEach(() => service.behave());

describe("the example of a page", () => {
  it("is tried with versions that its package.json allows", () => {
    const { dependencies, devDependencies } = JSON.parse(
      readFileSync(new URL("../../examples/browser/package.json", import.meta.url), "utf8"),
    );
    const { "template-pdf": _ours, ...needed } = { ...dependencies, ...devDependencies };
    const major = (version: string) => version.replace(/^\^?(\d+)\..*/, "$1");
    const majors = (versions: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.entries(versions).map(([name, version]) => [name, major(version)]));
    expect(majors(pinned)).toEqual(majors(needed));
  });

  it("starts with the service on this machine, and waits and fails as it is told", {
    timeout: 60_000,
  }, async () => {
    const server = await example.start("start", undefined, "--fault", "429 retry-after 900 every 2");
    try {
      const page = await fetch(server.origin, { headers: { accept: "text/html" } });
      const [cookie = ""] = page.headers.getSetCookie();
      expect(cookie).toMatch(/^session=[\da-f-]{36}; HttpOnly; SameSite=Strict; Path=\/$/);
      const ask = (headers: Record<string, string>) =>
        fetch(`${server.origin}/api/pdf/api/v1/templates/invoice/generate-sync`, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: JSON.stringify({ ...values, date: "2026-11-20", number: "one of the page's own" }),
        });
      const session = { cookie: cookie.replace(/;.*/, "") };
      expect((await ask({})).status).toBe(401);
      const made = await ask(session);
      const { text } = await readPdf(new Uint8Array(await made.arrayBuffer()));
      expect(text).toMatch(/20 November 2026/);
      expect(text).toMatch(/£640\.00/);
      expect(text).not.toContain("one of the page's own");
      const refused = await ask(session);
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "900"]);
    } finally {
      await server.stop();
    }
  });
});

describe.each(["chromium", "firefox"] as const)(
  "the example in %s",
  unlessTheDriverHangs,
  (name: BrowserName) => {
    let downloads: ReturnType<typeof makeTemporaryFolder>;
    let browser: Browser;
    let visit: Visit;

    beforeAll(async () => {
      downloads = makeTemporaryFolder("downloads");
      browser = await launch(name, { downloads: downloads.path, answersWithinMs });
    }, 60_000);

    afterAll(async () => {
      await browser.close();
      downloads.remove();
    });

    async function open(mode: "dev" | "built" = "built"): Promise<Visit> {
      await visit?.page.close();
      visit = await Visit.begin(browser, name, "light", `${proxies[mode].origin}/`);
      return visit;
    }

    /** What a refusal looks like: the words at the button, and what has the focus. */
    async function notice(): Promise<string> {
      await visit.until(`document.querySelector("#notice p")`);
      return visit.see(`document.querySelector("#notice p").textContent`);
    }

    it.each(["dev", "built"] as const)(
      "%s: shows what was made, from key to key, without a complaint or the key",
      async (mode) => {
        await open(mode);
        expect(await visit.focused()).toBe("");
        await visit.order(values);
        const { url, sha256: shown } = await visit.preview();
        const made = service.calls.at(-1);
        expect(url).toMatch(/^blob:/);
        expect(shown).toBe(sha256(made?.document ?? new Uint8Array()));
        expect(made?.values).toMatchObject({
          customer: values.customer,
          work: values.work,
          amount: "£640.00",
          number: expect.stringMatching(/^\d{4}-[\dA-F]{4}$/),
        });
        expect(await visit.focused()).toBe("tray-title");
        expect(await visit.see(`document.querySelector("#tray-title").textContent`)).toBe(
          `Invoice ${made?.values["number"]}`,
        );
        expect(visit.complaints).toEqual([]);
        expect([...visit.origins]).toEqual([proxies[mode].origin]);

        const received = proxies[mode].received.join("\n");
        expect(received).toContain("A new invoice");
        expect(received).toContain("content-disposition: attachment");
        expect(received).not.toMatch(/^content-encoding:/im);
        for (const secret of [service.apiKey, btoa(service.apiKey), new URL(service.baseUrl).host]) {
          expect(received).not.toContain(secret);
        }
      },
    );

    it("saves what it shows, under the name that the server gave it", async () => {
      await open();
      await visit.order(values);
      await visit.preview();
      await visit.tabTo("download");
      const before = service.calls.length;
      await visit.page.keyboard.press("Enter");
      const made = service.calls.at(-1);
      const file = `Invoice ${made?.values["number"]}.pdf`;
      await eventually(() => readdirSync(downloads.path).includes(file));
      const saved = sha256(readFileSync(join(downloads.path, file)));
      expect(saved).toBe(sha256(made?.document ?? new Uint8Array()));
      expect(service.calls).toHaveLength(before);
      expect(visit.complaints).toEqual([]);
    });

    it("tells how much has come, from nothing to all of it, and never less than before", async () => {
      await open();
      const held = service.holdNext();
      await visit.order(values);
      const call = await held;
      expect(await visit.see(`document.querySelector("progress").matches(":indeterminate")`)).toBe(true);
      call.sendHalf();
      await visit.until(`document.querySelector("progress").value === 50`);
      expect(await visit.see(`document.querySelector("#status").textContent`)).toBe("50 % of 400 kB");
      expect(await visit.see(`document.querySelector("#make").getAttribute("aria-disabled")`)).toBe("true");
      call.sendRest();
      await visit.preview();
      const shown = await visit.see<[string | null, string][]>("shown");
      const percents = shown.flatMap(([value], at) =>
        // It is emptied at the end.
        value === null || (value === "0" && at > 1) ? [] : [Number(value)],
      );
      expect(percents).toEqual(percents.toSorted((one, other) => one - other));
      expect(percents).toContain(50);
      expect(percents.at(-1)).toBe(100);
      expect(shown.at(-1)).toEqual(["0", "The invoice is made."]);
    });

    testFocus({ open, service });

    it.each(["Escape", "the button"])("gives a document up by %s, and the service is left", async (how) => {
      await open();
      const held = service.holdNext();
      await visit.order(values);
      const call = await held;
      call.sendHalf();
      await visit.until(`document.querySelector("progress").value === 50`);
      if (how === "Escape") await visit.page.keyboard.press("Escape");
      else {
        await visit.tabTo("cancel");
        await visit.page.keyboard.press("Enter");
      }
      await call.left;
      await visit.until(`document.querySelector("#status").textContent.startsWith("Cancelled")`);
      expect(await visit.focused()).toBe("make");
      expect(await visit.see(`document.querySelector("#notice").textContent`)).toBe("");
      expect(await visit.see("made")).toEqual([]);
      expect(visit.complaints).toEqual([]);
    });

    it("tells beside the fields what is wrong with them, and goes to the first", async () => {
      await open();
      const before = service.calls.length;
      await visit.order({ customer: "Zoë", amount: "a lot", work: " " });
      expect(await notice()).toBe("2 fields need another look.");
      expect(await visit.focused()).toBe("amount");
      const told = await visit.see<string[][]>(
        `[...document.querySelectorAll("[aria-invalid=true]")].map((field) => [
        field.id, document.getElementById(field.getAttribute("aria-describedby")).textContent])`,
      );
      expect(told).toEqual([
        ["amount", "Write it as 640.00."],
        ["work", "Say what the invoice is for."],
      ]);
      expect(service.calls).toHaveLength(before);
      // What stands there is taken back with the next attempt.
      await visit.page.evaluate(`amount.value = "12"; work.value = "Cards"`);
      await visit.tabTo("make");
      await visit.page.keyboard.press("Enter");
      await visit.preview();
      expect(await visit.see(`document.querySelectorAll("[aria-invalid]").length`)).toBe(0);
      expect(await visit.see(`document.querySelector("#notice").textContent`)).toBe("");
    });

    it("tries again where the service fails, and says so, and then tells it in words of a person", async () => {
      await open();
      const before = service.calls.length;
      service.refuse(500);
      await visit.order(values);
      expect(await notice()).toMatch(
        /^The invoice could not be made\. Try again in a minute; if that does not help, tell us this number: [\da-f-]{36}$/,
      );
      expect(await visit.focused()).toBe("notice");
      expect(service.calls.length - before).toBe(3);
      const said = await visit.see<[unknown, string][]>("shown");
      expect(said.some(([, text]) => /^That did not work\. Trying again in/.test(text))).toBe(true);
      expect(await visit.see("document.body.textContent")).not.toContain("secret words");
      expect(proxies.built.received.join("\n")).not.toContain("secret words");
    });

    it("tells when to try again, where too much is asked for", async () => {
      await open();
      service.refuse(429, { "retry-after": "900" });
      await visit.order(values);
      expect(await notice()).toMatch(/^Too many invoices are being made\. Try again at \d\d:\d\d\.$/);
    });

    it("offers to sign in again, where the session has ended", async () => {
      await open();
      const other = await browser.newPage();
      await other.goto(service.signOutUrl);
      await other.close();
      await visit.page.bringToFront();
      await visit.order(values);
      expect(await notice()).toBe("Your session has ended. Load the page again to sign in.");
      await visit.page.evaluate("globalThis.isOld = true");
      await visit.page.keyboard.press("Tab");
      await visit.page.keyboard.press("Enter");
      await visit.until(`!globalThis.isOld && document.readyState === "complete"`);
      // Firefox keeps what was filled in.
      await visit.page.evaluate(`for (const id of ["customer", "amount", "work"]) globalThis[id].value = ""`);
      await visit.order(values);
      await visit.preview();
    });

    it("tells a dead server from a dead line", async () => {
      await open();
      const plug = proxies.built.unplug();
      try {
        await visit.order(values);
        expect(await notice()).toBe("The server did not answer. Try again in a minute.");
        await visit.page.evaluate(`Object.defineProperty(navigator, "onLine", { value: false })`);
        await visit.page.evaluate(`document.querySelector("#make").focus()`);
        await visit.page.keyboard.press("Enter");
        await visit.until(`/offline/.test(document.querySelector("#notice").textContent)`);
        expect(await notice()).toBe("You are offline. Try again when you are connected.");
      } finally {
        plug();
      }
    });

    it("lets go of a document when the next takes its place", async () => {
      await open();
      await visit.order(values);
      const first = await visit.preview();
      expect(await visit.see("revoked")).toEqual([]);
      await visit.page.evaluate(`document.querySelector("#make").focus()`);
      await visit.page.keyboard.press("Enter");
      const second = await visit.preview(2);
      expect(await visit.see("made")).toEqual([first.url, second.url]);
      expect(await visit.see("revoked")).toEqual([first.url]);
      expect(second.sha256).not.toBe(first.sha256);
    });
  },
);

const stage = { service, address: () => `${proxies.built.origin}/` };
testLocalDay(stage);
testLooks(stage);
