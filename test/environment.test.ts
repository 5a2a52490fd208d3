import { afterEach, describe, expect, it, vi } from "vitest";
import { isPage, pageAddress, readEnvironment } from "../src/runtime/environment.ts";

/** Asks something while the globals look like those of another runtime; `undefined` takes a global away. */
function within<T>(globals: Record<string, unknown>, ask: () => T): T {
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  try {
    return ask();
  } finally {
    vi.unstubAllGlobals();
  }
}

const node = { versions: { node: "20.20.2" }, env: {} };
const document = {};
const WorkerGlobalScope = class {};
const location = { href: "https://app.example.com/orders/7?x#y" };

const pages: [string, Record<string, unknown>][] = [
  ["a page", { process: undefined, document, location }],
  [
    "a page whose bundler fakes process",
    { process: { env: {}, versions: {}, browser: true }, document, location },
  ],
  ["a page whose bundler fakes only process.env", { process: { env: {} }, document, location }],
  ["a web worker or service worker", { process: undefined, WorkerGlobalScope, location }],
  [
    "the renderer of Electron, with Node in it",
    { process: { ...node, type: "renderer" }, document, location },
  ],
  ["the renderer of Electron, without", { process: undefined, document, location }],
  [
    "a web worker of Electron, with Node in it",
    { process: { ...node, type: "worker" }, WorkerGlobalScope, location },
  ],
];

const servers: [string, Record<string, unknown>][] = [
  ["Node", {}],
  ["Node with jsdom", { document, location, window: {} }],
  ["Node with the globals of a worker", { WorkerGlobalScope }],
  ["the main process of Electron", { process: { ...node, type: "browser" } }],
  ["Deno", { process: undefined, Deno: { version: {} } }],
  ["Deno with its process and a DOM", { process: node, Deno: {}, document, location }],
  ["a worker of Deno", { process: undefined, Deno: {}, WorkerGlobalScope, location }],
  ["Bun", { process: node, Bun: {} }],
  ["a worker of Bun", { process: undefined, Bun: {}, WorkerGlobalScope }],
  ["workerd", { process: undefined, WebSocketPair: class {}, WorkerGlobalScope }],
  ["Vercel's edge runtime", { process: { env: {} }, EdgeRuntime: "edge-runtime", WorkerGlobalScope }],
  ["a bare engine", { process: undefined }],
];

describe("whether its user can read every secret", () => {
  it.each(pages)("%s: yes", (_, globals) => {
    expect(within(globals, isPage)).toBe(true);
  });

  it.each(servers)("%s: no", (_, globals) => {
    expect(within(globals, isPage)).toBe(false);
  });
});

describe("the address of the page", () => {
  it.each(pages)("%s has one", (_, globals) => {
    expect(within(globals, pageAddress)).toBe(location.href);
  });

  it.each(servers)("%s has none", (_, globals) => {
    expect(within(globals, pageAddress)).toBeUndefined();
  });

  it("is the base of the document where it names one, as for fetch", () => {
    const document = { baseURI: "https://app.example.com/base/" };
    expect(within({ process: undefined, document, location }, pageAddress)).toBe(document.baseURI);
  });

  it("is that of the page where a worker was made of a Blob", () => {
    const location = { href: "blob:https://app.example.com/5c1b", origin: "https://app.example.com" };
    expect(within({ process: undefined, WorkerGlobalScope, location }, pageAddress)).toBe(location.origin);
  });

  it("is none where the page of such a worker has no origin", () => {
    const location = { href: "blob:null/5c1b", origin: "null" };
    expect(within({ process: undefined, WorkerGlobalScope, location }, pageAddress)).toBeUndefined();
  });

  it("may be missing", () => {
    expect(within({ process: undefined, document, location: undefined }, pageAddress)).toBeUndefined();
  });
});

describe("a variable of the environment", () => {
  const name = "TEMPLATE_PDF_TEST";
  const read = () => readEnvironment(name);
  const denied = () => {
    throw new Error("Requires env access");
  };

  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it("is read when it is asked for, not before", () => {
    expect(read()).toBeUndefined();
    vi.stubEnv(name, "one");
    expect(read()).toBe("one");
    vi.stubEnv(name, "two");
    expect(read()).toBe("two");
  });

  it("is told as it is when it is empty", () => {
    vi.stubEnv(name, "");
    expect(read()).toBe("");
  });

  it.each<[string, unknown]>([
    ["there is no process", undefined],
    ["process has no env", {}],
    ["process.env throws, as in Deno without permission", Object.defineProperty({}, "env", { get: denied })],
    ["every variable throws", { env: new Proxy({}, { get: denied }) }],
  ])("is missing where %s", (_, process) => {
    expect(within({ process }, read)).toBeUndefined();
  });
});
