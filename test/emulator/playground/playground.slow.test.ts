import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { LoggedCall, LoggedRequest } from "../../../src/emulator/playground/request-log.ts";
import { type TemplateState, TemplateStates } from "../../../src/emulator/playground/template-states.ts";
import { Renderers } from "../../../src/emulator/renderers.ts";
import type { Call } from "../../../src/emulator/reporting.ts";
import { eventually } from "../../support/eventually.ts";
import { generate as call, emulate, shareEmulator, templateFolder } from "../emulated.ts";

interface State extends Pick<typeof shared, "baseUrl" | "apiKey"> {
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
/** Reads the body of a response, because an unread body would keep its connection open. */
async function withBody(pending: Promise<Response>): Promise<Response> {
  const response = await pending;
  return new Response(await response.arrayBuffer(), response);
}
const get = (url: string, init?: RequestInit) => withBody(fetch(url, init));
const generate = (...args: Parameters<typeof call>) => withBody(call(...args));
/** Returns the headers that the page sends: its token. */
async function tokenOf({ baseUrl }: { readonly baseUrl: string }) {
  const page = await (await get(`${baseUrl}/`, { headers: html })).text();
  const [, token = ""] = /<meta name="playground-token" content="([\da-f-]{36})"/.exec(page) ?? [];
  return { "x-playground-token": token };
}
async function callPlayground(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...(await tokenOf(shared)), ...init.headers };
  return get(`${shared.baseUrl}/_playground/${path}`, { ...init, headers });
}
const read = async <T>(path: string) => (await (await callPlayground(path)).json()) as T;
const state = () => read<State>("state");
function change(rules: unknown, more: Record<string, string> = {}): Promise<Response> {
  const headers = { "content-type": "application/json", ...more };
  return callPlayground("misbehaviour", { method: "PUT", headers, body: JSON.stringify(rules) });
}

afterEach(() => change({ faults: [], latency: "0" }));

/** Opens the event stream. `next` waits for an event and returns its data. */
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
  return { next, close: () => reader.cancel() };
}

const statusAndType = ({ status, headers }: Response) => ({ status, type: headers.get("content-type") });

describe("the playground", () => {
  it("is served at the base URL and cannot load anything from other origins", async () => {
    const response = await get(`${shared.baseUrl}/`, { headers: html });
    expect(statusAndType(response)).toEqual({ status: 200, type: "text/html; charset=utf-8" });
    const head = await get(`${shared.baseUrl}/`, { method: "HEAD", headers: html });
    expect({ ...statusAndType(head), body: await head.text() }).toEqual({
      ...statusAndType(response),
      body: "",
    });
    // The base URL does not change for other callers.
    const other = await get(`${shared.baseUrl}/`, { headers: { accept: "application/json" } });
    expect(statusAndType(other)).toEqual({ status: 404, type: "application/problem+json" });
    const policy = response.headers.get("content-security-policy");
    expect(policy).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
    const page = await response.text();
    const assets = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path);
    expect(assets).toHaveLength(2);
    for (const path of assets) {
      const type = expect.stringMatching(/^text\/(?:javascript|css); charset=utf-8$/);
      expect(statusAndType(await get(`${shared.baseUrl}${path}`))).toEqual({ status: 200, type });
    }
  });

  it.each([
    ["not served if `ui` is false", { ui: false }, undefined],
    ["not served on a host that other machines can reach", { host: "0.0.0.0" }, undefined],
    ["served at `playgroundUrl` on an IPv6 loopback address", { host: "::1" }, 200],
  ])("is %s", async (_, options, served) => {
    const { baseUrl, playgroundUrl } = await emulate({ "greeting.json": greeting }, options);
    expect(playgroundUrl).toBe(served && `${baseUrl}/`);
    for (const path of served ? ["/"] : ["/", "/_playground/events"]) {
      expect((await get(`${baseUrl}${path}`, { headers: html })).status).toBe(served ?? 404);
    }
  });

  it.each([
    ["assets/..%2f..%2findex.html", 404],
    ["assets/..%2fpage-files.js", 404],
    ["pdfjs/..%2fpackage.json", 404],
    ["types/%ff", 400],
  ])("does not serve the file %s", async (path, status) => {
    expect((await callPlayground(path)).status).toBe(status);
  });

  it.each([
    ["from another site", { "sec-fetch-site": "cross-site" }],
    ["from another origin", { origin: "http://127.0.0.1:1" }],
    ["with the token of a stopped emulator", { "x-playground-token": crypto.randomUUID() }],
    ["without a token", { "x-playground-token": "" }],
  ])("rejects a request %s", async (_title, headers) => {
    for (const path of ["state", "events", "requests/1", "types/greeting"]) {
      expect((await callPlayground(path, { headers })).status).toBe(403);
    }
    expect((await change({ faults: ["503"] }, headers)).status).toBe(403);
    expect((await state()).misbehaviour.faults).toEqual([]);
    // A plain form, which any page can submit.
    expect((await change({ faults: ["503"] }, { "content-type": "text/plain" })).status).toBe(415);
  });
});

describe("the playground's state", () => {
  it("lists the templates with their page counts, samples and schemas", async () => {
    const { templates, apiKey, baseUrl } = await state();
    expect({ apiKey, baseUrl }).toEqual({ apiKey: shared.apiKey, baseUrl: shared.baseUrl });
    const schema = expect.objectContaining({ required: ["name"] });
    expect(templates).toEqual([
      { uid: "greeting", file: "greeting.json", pages: 1, sample: { name: "Zoë" }, schema },
      { uid: "report", file: "report.json", pages: 2, sample: { n: expect.any(String) } },
      { uid: "throwing", file: "throwing.mjs", pages: 1, sample: {} },
    ]);
  });

  it("shows the headers and values of each request, but hides secret headers", async () => {
    const authorization = `API-Key ${shared.apiKey}`;
    const secrets = { authorization, cookie: "session=s-1", "x-api-token": "k-1" };
    const headers = { ...secrets, "content-type": "application/json", "x-trace": "t-1" };
    const response = await generate(shared, "greeting", { name: "Ünal" }, { headers });
    const requestId = response.headers.get("x-request-id");
    const [latest] = (await state()).requests;
    expect(latest).toMatchObject({ uid: "greeting", status: 200, requestId });
    expect(latest).not.toHaveProperty("values");
    const whole = await read<LoggedRequest>(`requests/${latest?.id}`);
    expect(whole.values).toEqual({ name: "Ünal" });
    const hidden = { authorization: "(hidden)", cookie: "(hidden)", "x-api-token": "(hidden)" };
    expect(Object.fromEntries(whole.headers)).toMatchObject({ ...hidden, "x-trace": "t-1" });
    expect(JSON.stringify(whole)).not.toContain(shared.apiKey);
    // Requests of the page itself are not reported.
    expect(calls.at(-1)).toMatchObject({ uid: "greeting", status: 200 });
  });

  it("shows why a call was rejected and where a template is broken", async () => {
    await generate(shared, "greeting", { name: 7 });
    await generate(shared, "throwing", { fail: true });
    const [broken, refused] = (await state()).requests;
    expect(refused).toMatchObject({ status: 422, detail: expect.stringContaining("name must be a string") });
    expect(broken).toMatchObject({ status: 500, error: expect.stringMatching(/throwing\.mjs:2:\d+: .*no$/) });
  });

  it("keeps the last 100 requests, but omits values that are too long", async () => {
    for (let count = 0; count < 100; count++) await generate(shared, "missing");
    await generate(shared, "missing", { text: "x".repeat(300_000) });
    const { requests } = await state();
    expect(requests).toHaveLength(100);
    const valuesOf = async (index: number) =>
      (await read<LoggedRequest>(`requests/${requests[index]?.id}`)).values;
    expect({ first: await valuesOf(0), second: await valuesOf(1) }).toEqual({ first: undefined, second: {} });
    expect((await callPlayground(`requests/${(requests.at(-1)?.id ?? 0) - 1}`)).status).toBe(404);
  });
});

it("a template that never finishes causes an error, and does not delay other templates", async () => {
  const endless = "export default () => { for (;;); };";
  const templates = await templateFolder({ "endless.mjs": endless, "greeting.json": greeting });
  const renderers = new Renderers({ templates, images: undefined, fonts: undefined }, 2, 60_000);
  const states = new TemplateStates(templates, renderers);
  onTestFinished(() => renderers.close());
  const timedOut = new AbortController();
  const timeouts = vi.spyOn(AbortSignal, "timeout").mockReturnValue(timedOut.signal);
  onTestFinished(() => timeouts.mockRestore());
  const inspected = states.inspect();
  await eventually(() => states.all.some(({ uid, pages }) => uid === "greeting" && pages === 1));
  expect(timeouts.mock.calls).toEqual([[5_000], [5_000]]);
  timedOut.abort();
  await inspected;
  expect(states.all.map(({ fault }) => fault)).toEqual(["Its sample takes too long to render.", undefined]);
});

describe("the rules that are set in the playground", () => {
  it("apply to the emulator, and reset its call count", async () => {
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

  it("do not change if a new latency is invalid", async () => {
    await change({ faults: ["cut every 9"], latency: "1" });
    const response = await change({ faults: ["429"], latency: "9..3" });
    expect(response.status).toBe(400);
    expect((await response.json()).detail).toContain('The latency "9..3" is not between 0 and');
    expect((await state()).misbehaviour).toEqual({ faults: ["cut every 9"], latency: "1" });
  });
});

describe("an open playground", () => {
  it("is notified of each request and each saved file", async () => {
    const events = await openEvents();
    await generate(shared, "greeting", { name: "a" });
    expect(await events.next("request")).toMatchObject({ uid: "greeting", status: 200 });
    const saveAs = async (text: string, isRight: (letter: TemplateState) => boolean) => {
      await writeFile(join(shared.folder, "templates", "letter.json"), text);
      await events.next("saved");
      for (;;) {
        const all = (await events.next("templates")) as TemplateState[];
        const letter = all.find((state) => state.uid === "letter" && isRight(state));
        if (letter) return letter;
      }
    };
    const sample = { total: "£1" };
    await saveAs(JSON.stringify({ content: ["{{total}}"], sample }), ({ pages }) => pages === 1);
    const broken = await saveAs('{\n  "content": [}', ({ fault }) => fault !== undefined);
    expect(broken).toMatchObject({ sample, fault: expect.stringMatching(/letter\.json:2:15: /) });
    await events.close();
  });

  it("does not prevent the emulator from closing", async () => {
    const emulator = await emulate({ "greeting.json": greeting });
    const headers = await tokenOf(emulator);
    const response = await fetch(`${emulator.baseUrl}/_playground/events`, { headers });
    await emulator.close();
    expect(await response.text()).toBe(": open\n\n");
  });
});
