import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { TemplatesEvent } from "../../../src/emulator/playground/playground.ts";
import type { LoggedCall, LoggedRequest } from "../../../src/emulator/playground/request-log.ts";
import type { TemplateState } from "../../../src/emulator/playground/template-states.ts";
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
async function openEvents(emulator: { readonly baseUrl: string } = shared) {
  const response = await fetch(`${emulator.baseUrl}/_playground/events`, {
    headers: await tokenOf(emulator),
  });
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
    await eventually(async () => (await state()).templates.every(({ kind }) => kind === "ready"));
    const { templates, apiKey, baseUrl } = await state();
    expect({ apiKey, baseUrl }).toEqual({ apiKey: shared.apiKey, baseUrl: shared.baseUrl });
    const schema = expect.objectContaining({ required: ["name"] });
    expect(templates).toEqual([
      { uid: "greeting", file: "greeting.json", kind: "ready", pages: 1, sample: { name: "Zoë" }, schema },
      { uid: "report", file: "report.json", kind: "ready", pages: 2, sample: { n: expect.any(String) } },
      { uid: "throwing", file: "throwing.mjs", kind: "ready", pages: 1, sample: {} },
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

describe("a task of a rendering thread", () => {
  it("has a timeout that does not count waiting for the thread", async () => {
    const waits = `import { existsSync, writeFileSync } from "node:fs";
      const here = (name) => new URL(name, import.meta.url);
      export default async () => {
        writeFileSync(here("begun"), "");
        while (!existsSync(here("go"))) await new Promise((resolve) => setTimeout(resolve, 10));
        return { content: "a" };
      };`;
    const templates = await templateFolder({ "waits.mjs": waits, "greeting.json": greeting });
    const renderers = new Renderers({ templates, images: undefined, fonts: undefined }, 1, 2_000_000);
    onTestFinished(() => renderers.close());
    const render = (file: string, onBegin?: () => void) => {
      const template = { uid: file, file, path: join(templates, file) };
      return renderers.perform({ template, values: { name: "Zoë" } }, { limitMs: 1_000_000, onBegin });
    };
    const first = render("waits.mjs");
    await eventually(() => existsSync(join(templates, "begun")));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const onBegin = vi.fn();
    const second = render("greeting.json", onBegin);
    vi.advanceTimersByTime(1_500_000);
    expect(onBegin).not.toHaveBeenCalled();
    await writeFile(join(templates, "go"), "");
    expect((await first).kind).toBe("document");
    expect((await second).kind).toBe("document");
    expect(onBegin).toHaveBeenCalledOnce();
  });
});

describe("a document for the page itself", () => {
  const preview = async (uid: string, values: object) => {
    const authorization = `API-Key ${shared.apiKey}`;
    const headers = { ...(await tokenOf(shared)), authorization, "content-type": "application/json" };
    return generate(shared, uid, values, { headers });
  };

  it("is not affected by the rules for faults, and is not counted", async () => {
    await change({ faults: ["503 first 2"], latency: "0" });
    expect((await preview("greeting", { name: "a" })).status).toBe(200);
    expect((await preview("greeting", { name: "b" })).status).toBe(200);
    const statuses = [];
    for (let call = 0; call < 3; call++)
      statuses.push((await generate(shared, "greeting", { name: "c" })).status);
    expect(statuses).toEqual([503, 503, 200]);
    const { requests } = await state();
    expect(requests.slice(0, 5).map(({ isPreview, status }) => [isPreview, status])).toEqual([
      ...[
        [false, 200],
        [false, 503],
        [false, 503],
      ],
      ...[
        [true, 200],
        [true, 200],
      ],
    ]);
  });

  it("is refused with the reason", async () => {
    const { detail } = await (await preview("throwing", { fail: true })).json();
    expect(detail).toMatch(/throwing\.mjs:2:\d+: .*no$/);
  });

  it("has a warning about characters that its fonts lack", async () => {
    const response = await preview("greeting", { name: "語" });
    expect(decodeURIComponent(response.headers.get("x-playground-warning") ?? "")).toContain("語 (U+8A9E)");
  });
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
  /** Waits for an event after which a template is in a state. */
  const untilTemplate = async (
    events: Awaited<ReturnType<typeof openEvents>>,
    uid: string,
    isRight: (state: TemplateState | undefined) => boolean,
  ) => {
    for (;;) {
      const { uids, changed } = (await events.next("templates")) as TemplatesEvent;
      const found = changed.find((state) => state.uid === uid);
      if (isRight(found) && (found !== undefined || !uids.includes(uid))) return found;
    }
  };

  it("is notified of requests and each saved file", async () => {
    const events = await openEvents();
    await generate(shared, "greeting", { name: "a" });
    // An event may also contain the last requests of other tests.
    const [latest] = (await events.next("requests")) as LoggedCall[];
    expect(latest).toMatchObject({ uid: "greeting", status: 200 });
    const saveAs = async (text: string, isRight: (letter: TemplateState) => boolean) => {
      await writeFile(join(shared.folder, "templates", "letter.json"), text);
      await events.next("saved");
      return untilTemplate(events, "letter", (letter) => letter !== undefined && isRight(letter));
    };
    const sample = { total: "£1" };
    await saveAs(JSON.stringify({ content: ["{{total}}"], sample }), ({ pages }) => pages === 1);
    const broken = await saveAs('{\n  "content": [}', ({ kind }) => kind === "broken");
    expect(broken).toMatchObject({ sample, fault: expect.stringMatching(/letter\.json:2:15: /) });
    await events.close();
  });

  it("is notified of many requests in fewer events, with at most 100 requests each", async () => {
    const events = await openEvents();
    const sent = Array.from({ length: 300 }, () => generate(shared, "missing"));
    await Promise.all(sent);
    let count = 0;
    let latest = 0;
    const { requests } = await state();
    const last = requests[0]?.id ?? 0;
    while (latest < last) {
      const calls = (await events.next("requests")) as LoggedCall[];
      expect(calls.length).toBeLessThanOrEqual(100);
      latest = calls[0]?.id ?? 0;
      count += 1;
    }
    expect(count).toBeLessThan(300);
    await events.close();
  }, 60_000);

  it("is notified if the folder is emptied, removed and replaced", async () => {
    const emulator = await emulate({ "greeting.json": greeting });
    const events = await openEvents(emulator);
    await untilTemplate(events, "greeting", (greeting) => greeting?.kind === "ready");
    const file = join(emulator.folder, "greeting.json");
    await rename(file, `${emulator.folder}-kept`);
    await untilTemplate(events, "greeting", (greeting) => greeting === undefined);
    await rm(emulator.folder, { recursive: true });
    for (;;)
      if (((await events.next("templates")) as TemplatesEvent).folderFault?.includes("does not exist")) break;
    await mkdir(emulator.folder);
    await rename(`${emulator.folder}-kept`, file);
    await untilTemplate(events, "greeting", (greeting) => greeting?.kind === "ready");
    await writeFile(file, '{ "content": [}');
    await untilTemplate(events, "greeting", (greeting) => greeting?.kind === "broken");
    await events.close();
  });

  it("can create the first template in an empty folder, but does not overwrite a file", async () => {
    const emulator = await emulate({});
    const headers = await tokenOf(emulator);
    const events = await openEvents(emulator);
    const create = () => get(`${emulator.baseUrl}/_playground/first-template`, { method: "POST", headers });
    expect((await create()).status).toBe(200);
    await untilTemplate(events, "invoice", (invoice) => invoice?.kind === "ready" && invoice.pages === 1);
    const file = join(emulator.folder, "invoice.json");
    await writeFile(file, '{"content":"mine"}');
    const refused = await create();
    expect(refused.status).toBe(409);
    expect((await refused.json()).detail).toContain("already contains invoice.json");
    expect(await readFile(file, "utf8")).toBe('{"content":"mine"}');
    const other = { method: "POST", headers: { origin: "http://evil.test", ...headers } };
    expect((await get(`${emulator.baseUrl}/_playground/first-template`, other)).status).toBe(403);
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
