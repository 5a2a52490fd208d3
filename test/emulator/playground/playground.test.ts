import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { LoggedCall, LoggedRequest } from "../../../src/emulator/playground/request-log.ts";
import { type TemplateState, TemplateStates } from "../../../src/emulator/playground/template-states.ts";
import { Renderers } from "../../../src/emulator/renderers.ts";
import type { Call } from "../../../src/emulator/reporting.ts";
import { eventually } from "../../support/eventually.ts";
import { generate as call, emulate, shareEmulator } from "../emulated.ts";
import { templateFolder } from "../template-folder.ts";

interface State {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly templates: readonly TemplateState[];
  readonly requests: readonly LoggedCall[];
  readonly misbehaviour: { readonly faults: readonly string[]; readonly latency: string };
}

const greeting = JSON.stringify({
  schema: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
  content: ["Hello {{name}}"],
  sample: { name: "Zoë" },
});
const twoPages = JSON.stringify({ content: ["one", { text: "two {{n}}", pageBreak: "before" }] });
const throwing =
  "export default ({ fail }) => {\n  if (fail) throw new Error('no');\n  return { content: ['x'] };\n};";

const calls: Call[] = [];
const shared = shareEmulator(
  { "greeting.json": greeting, "report.json": twoPages, "throwing.mjs": throwing },
  () => ({ onCall: (call) => void calls.push(call) }),
);
const html = { accept: "text/html,application/xhtml+xml" };
/** A whole response: one whose body is not read would keep its connection. */
async function get(url: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  return new Response(await response.arrayBuffer(), response);
}
/** What the page sends: its token. */
async function tokenOf({ baseUrl }: { readonly baseUrl: string }) {
  const page = await (await get(`${baseUrl}/`, { headers: html })).text();
  return {
    "x-playground-token": /<meta name="playground-token" content="([\da-f-]{36})"/.exec(page)?.[1] ?? "",
  };
}
const ask = async (path: string, init: RequestInit = {}) =>
  get(`${shared.baseUrl}/_playground/${path}`, {
    ...init,
    headers: { ...(await tokenOf(shared)), ...init.headers },
  });
const read = async <T>(path: string) => (await (await ask(path)).json()) as T;
const generate = async (...args: Parameters<typeof call>) => {
  const response = await call(...args);
  return new Response(await response.arrayBuffer(), response);
};
const state = () => read<State>("state");
const change = (body: unknown, headers: Record<string, string> = {}) =>
  ask("misbehaviour", {
    method: "PUT",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

afterEach(() => change({ faults: [], latency: "0" }));

/** What an open page hears: waits for an event and returns what was sent with it. */
async function openEvents() {
  const response = await fetch(`${shared.baseUrl}/_playground/events`, { headers: await tokenOf(shared) });
  const decoder = new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>;
  const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(decoder).getReader();
  let text = "";
  const next = async (event: string): Promise<unknown> => {
    for (;;) {
      const found = new RegExp(`event: ${event}\ndata: (.*)\n\n`).exec(text);
      if (found) {
        text = text.slice(found.index + found[0].length);
        return JSON.parse(found[1] ?? "");
      }
      const { value, done } = await reader.read();
      if (done) throw new Error(`The stream has ended: ${text}`);
      text += value;
    }
  };
  await reader.read();
  const close = () => reader.cancel();
  return { next, close };
}

describe("the playground", () => {
  it("is a page at the base URL for a browser, which may load nothing from elsewhere", async () => {
    const response = await get(`${shared.baseUrl}/`, { headers: html });
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    expect(response.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; .*frame-ancestors 'none'$/,
    );
    const page = await response.text();
    const assets = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path);
    expect(assets).toHaveLength(2);
    for (const path of assets) {
      const asset = await get(`${shared.baseUrl}${path}`);
      expect([asset.status, asset.headers.get("content-type")]).toEqual([
        200,
        expect.stringMatching(/^text\/(?:javascript|css); charset=utf-8$/),
      ]);
    }
  });

  it("leaves the base URL alone for whoever wants no page", async () => {
    const response = await get(`${shared.baseUrl}/`, { headers: { accept: "application/json" } });
    expect([response.status, response.headers.get("content-type")]).toEqual([
      404,
      "application/problem+json",
    ]);
  });

  it.each([
    ["with `ui: false`", { ui: false }],
    ["at a host that other machines reach", { host: "0.0.0.0" }],
  ])("is not served %s", async (_title, options) => {
    const { baseUrl, playgroundUrl } = await emulate({ "greeting.json": greeting }, options);
    expect(playgroundUrl).toBeUndefined();
    const paths = ["/", "/_playground/state", "/_playground/events"];
    const statuses = await Promise.all(
      paths.map(async (path) => (await get(`${baseUrl}${path}`, { headers: html })).status),
    );
    expect(statuses).toEqual([404, 404, 404]);
  });

  it("has its address in `playgroundUrl`, also of a host in IPv6", async () => {
    const { baseUrl, playgroundUrl } = await emulate({ "greeting.json": greeting }, { host: "::1" });
    expect(playgroundUrl).toBe(`${baseUrl}/`);
    expect((await get(`${playgroundUrl}`, { headers: html })).status).toBe(200);
  });

  it("is refused as `ui: true` at a host that other machines reach", async () => {
    const starting = emulate({ "greeting.json": greeting }, { host: "0.0.0.0", ui: true });
    await expect(starting).rejects.toThrow("Expected `ui` to be false, unless `host` is a loopback address");
  });

  it("has no file but its own", async () => {
    const paths = [
      "assets/..%2f..%2findex.html",
      "assets/none.js",
      "assets/..%2fpage-files.js",
      "pdfjs/..%2fpackage.json",
      "nothing",
      "types/%ff",
    ];
    const statuses = await Promise.all(paths.map(async (path) => (await ask(path)).status));
    expect(statuses).toEqual([404, 404, 404, 404, 404, 400]);
  });

  it.each([
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["another origin", { origin: "http://127.0.0.1:1" }],
    ["an emulator that was stopped", { "x-playground-token": crypto.randomUUID() }],
    ["no token", { "x-playground-token": "" }],
  ])("reveals and changes nothing for a page of %s", async (_title, headers) => {
    const revealing = await Promise.all(
      ["state", "events", "requests/1", "types/greeting"].map((path) => ask(path, { headers })),
    );
    const refusals = [...revealing, await change({ faults: ["503"] }, headers)];
    expect(refusals.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    expect((await state()).misbehaviour.faults).toEqual([]);
  });

  it("takes no rules from a plain form, which any page can send", async () => {
    const response = await change({ faults: ["503"] }, { "content-type": "text/plain" });
    expect(response.status).toBe(415);
  });

  it("answers to no host name that is not allowed", async () => {
    const { port } = new URL(shared.baseUrl);
    const { request } = await import("node:http");
    const status = await new Promise((resolve) => {
      const headers = { host: "evil.test", ...html };
      request({ host: "127.0.0.1", port, headers, agent: false }, (response) => {
        response.resume().once("close", () => resolve(response.statusCode));
      }).end();
    });
    expect(status).toBe(421);
  });
});

describe("the playground's state", () => {
  it("lists the templates with their pages, samples and schemas", async () => {
    const { templates, apiKey, baseUrl } = await state();
    expect({ apiKey, baseUrl }).toEqual({ apiKey: shared.apiKey, baseUrl: shared.baseUrl });
    expect(templates).toEqual([
      {
        ...{ uid: "greeting", file: "greeting.json", pages: 1, sample: { name: "Zoë" } },
        schema: expect.objectContaining({ required: ["name"] }),
      },
      { uid: "report", file: "report.json", pages: 2, sample: { n: expect.any(String) } },
      { uid: "throwing", file: "throwing.mjs", pages: 1, sample: {} },
    ]);
  });

  it("shows requests with their headers and values, and hides the key", async () => {
    const trace = { "x-trace": "t-1", cookie: "session=s-1", "x-api-token": "k-1" };
    const headers = {
      authorization: `API-Key ${shared.apiKey}`,
      "content-type": "application/json",
      ...trace,
    };
    const response = await generate(shared, "greeting", { name: "Ünal" }, { headers });
    const [latest] = (await state()).requests;
    expect(latest).toMatchObject({
      uid: "greeting",
      status: 200,
      requestId: response.headers.get("x-request-id"),
    });
    expect(latest).not.toHaveProperty("values");
    const whole = await read<LoggedRequest>(`requests/${latest?.id}`);
    expect(whole.values).toEqual({ name: "Ünal" });
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      ...{ authorization: "(hidden)", cookie: "(hidden)", "x-api-token": "(hidden)", "x-trace": "t-1" },
    });
    expect(JSON.stringify(whole)).not.toContain(shared.apiKey);
  });

  it("says why a call was refused, and where a template is broken", async () => {
    await generate(shared, "greeting", { name: 7 });
    await generate(shared, "throwing", { fail: true });
    const [broken, refused] = (await state()).requests;
    expect(refused).toMatchObject({ status: 422, detail: expect.stringContaining("name must be a string") });
    expect(broken).toMatchObject({ status: 500, error: expect.stringMatching(/throwing\.mjs:2:\d+: .*no$/) });
  });

  it("keeps the last 100 requests, and no values that are too long", async () => {
    for (let count = 0; count < 100; count++) await generate(shared, "missing");
    await generate(shared, "missing", { text: "x".repeat(300_000) });
    const { requests } = await state();
    expect(requests).toHaveLength(100);
    const [first, second] = await Promise.all(
      requests.slice(0, 2).map(({ id }) => read<LoggedRequest>(`requests/${id}`)),
    );
    expect([first?.values, second?.values]).toEqual([undefined, {}]);
    const gone = await ask(`requests/${(requests.at(-1)?.id ?? 0) - 1}`);
    expect(gone.status).toBe(404);
  });

  it("is not among the calls that `onCall` gets", async () => {
    await state();
    expect(calls.map(({ path }) => path)).not.toContainEqual(expect.stringContaining("_playground"));
    expect(calls.length).toBeGreaterThan(0);
  });
});

describe("a template that never ends", () => {
  const endless = { "endless.mjs": "export default () => { for (;;); };" };
  const statesOf = async (files: Record<string, string>, limitMs?: number) => {
    const templates = await templateFolder(files);
    const renderers = new Renderers({ templates, images: undefined, fonts: undefined }, 2, 60_000);
    return { states: new TemplateStates(templates, renderers, limitMs), renderers };
  };

  it("does not keep the page from the others", async () => {
    const { states, renderers } = await statesOf({ ...endless, "greeting.json": greeting });
    const inspected = states.inspect();
    await eventually(() => states.all.find(({ uid }) => uid === "greeting")?.pages === 1);
    await renderers.close();
    await inspected;
  });

  it("is shown as one that takes too long", async () => {
    const { states, renderers } = await statesOf(endless, 300);
    await states.inspect();
    expect(states.all).toMatchObject([{ uid: "endless", fault: "Its sample takes too long." }]);
    await renderers.close();
  });
});

describe("the playground's types", () => {
  it("are those of `template-pdf types`", async () => {
    const response = await ask("types/greeting");
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await response.text()).toContain("export interface GreetingValues {\n  name: string;\n}");
    expect(await (await ask("types/report")).text()).toContain("n: string;");
    expect((await ask("types/none")).status).toBe(404);
  });
});

describe("the playground's rules", () => {
  it("are those of the emulator, which counts again after a change", async () => {
    const events = await openEvents();
    const rules = { faults: ["503 first 1"], latency: "1..2" };
    for (let time = 0; time < 2; time++) {
      expect(await (await change(rules)).json()).toEqual(rules);
      expect((await generate(shared, "greeting", { name: "a" })).status).toBe(503);
      expect((await generate(shared, "greeting", { name: "a" })).status).toBe(200);
    }
    expect(await events.next("misbehaviour")).toEqual(rules);
    expect((await state()).misbehaviour).toEqual(rules);
    await events.close();
  });

  it.each([
    [{ faults: ["429 sometimes"], latency: "0" }, 'The fault "429 sometimes" cannot be read.'],
    [{ faults: [], latency: "9..3" }, 'The latency "9..3" is not between 0 and'],
  ])("stay as they are if %j cannot be read", async (rules, words) => {
    await change({ faults: ["cut every 9"], latency: "1" });
    const response = await change(rules);
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ detail: expect.stringContaining(words) }),
    ]);
    expect((await state()).misbehaviour).toEqual({ faults: ["cut every 9"], latency: "1" });
  });
});

describe("an open playground", () => {
  const file = () => join(shared.folder, "templates", "letter.json");

  it("hears of each request and of each file that is saved, and keeps the sample of a broken one", async () => {
    const events = await openEvents();
    await generate(shared, "greeting", { name: "a" });
    expect(await events.next("request")).toMatchObject({ uid: "greeting", status: 200 });

    const letterOf = (all: unknown) => (all as TemplateState[]).find(({ uid }) => uid === "letter");
    const saveAs = async (text: string, isRight: (letter: TemplateState | undefined) => boolean) => {
      await writeFile(file(), text);
      await events.next("saved");
      for (;;) {
        const letter = letterOf(await events.next("templates"));
        if (isRight(letter)) return letter;
      }
    };
    const sample = { total: "£1" };
    await saveAs(JSON.stringify({ content: ["{{total}}"], sample }), (letter) => letter?.pages === 1);
    const broken = await saveAs('{\n  "content": [}', (letter) => letter?.fault !== undefined);
    expect(broken).toMatchObject({ sample, fault: expect.stringMatching(/letter\.json:2:15: /) });
    await rm(file());
    while (letterOf(await events.next("templates"))) {
      // An event of the file before.
    }
    await events.close();
  });

  it("does not keep the emulator from closing", async () => {
    const emulator = await emulate({ "greeting.json": greeting });
    const headers = await tokenOf(emulator);
    const response = await fetch(`${emulator.baseUrl}/_playground/events`, { headers });
    await emulator.close();
    expect(await response.text()).toBe(": open\n\n");
  });
});
