import { afterEach, describe, expect, it, vi } from "vitest";
import * as environment from "../../src/runtime/environment.ts";

const { isLoopback, isNamedLocal, isPage, pageAddress, readEnvironment } = environment;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

/** Runs a function with the globals of another runtime. `undefined` removes a global. */
function within<T>(globals: Record<string, unknown>, run: () => T): T {
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  return run();
}

const processOfNode = { versions: { node: "20.20.2" }, env: {} };
const processOfBundler = { env: {}, versions: {}, browser: true };
const emptyDocument = {};
const WorkerGlobalScope = class {};
const pageLocation = { href: "https://app.example.com/orders/7?x#y" };
const inWorker = { process: undefined, WorkerGlobalScope };

it.each<[string, Record<string, unknown>]>([
  ["a web page", { process: undefined, document: emptyDocument, location: pageLocation }],
  [
    "a web page whose bundler simulates `process`",
    { process: processOfBundler, document: emptyDocument, location: pageLocation },
  ],
  [
    "a web page whose bundler simulates `process.env`",
    { process: { env: {} }, document: emptyDocument, location: pageLocation },
  ],
  ["a web worker", { ...inWorker, location: pageLocation }],
  [
    "an Electron renderer with Node",
    { process: { ...processOfNode, type: "renderer" }, document: emptyDocument, location: pageLocation },
  ],
  [
    "an Electron worker with Node",
    { process: { ...processOfNode, type: "worker" }, WorkerGlobalScope, location: pageLocation },
  ],
])("isPage() returns true and pageAddress() returns the current URL in %s", (_, globals) => {
  expect(within(globals, isPage)).toBe(true);
  expect(within(globals, pageAddress)).toBe(pageLocation.href);
});

it.each<[string, Record<string, unknown>]>([
  ["Node with jsdom", { document: emptyDocument, location: pageLocation, window: {} }],
  ["Node with worker globals", { WorkerGlobalScope }],
  [
    "Electron's main process",
    { process: { ...processOfNode, type: "browser" }, document: emptyDocument, location: pageLocation },
  ],
  [
    "Deno with a `process` global and a DOM",
    { process: processOfNode, Deno: {}, document: emptyDocument, location: pageLocation },
  ],
  ["a Deno worker", { ...inWorker, Deno: {}, location: pageLocation }],
  [
    "Vercel's edge runtime",
    { process: { env: {} }, EdgeRuntime: "edge", WorkerGlobalScope, location: pageLocation },
  ],
  ["a JavaScript engine without host globals", { process: undefined }],
])("isPage() returns false and pageAddress() returns undefined in %s", (_, globals) => {
  expect(within(globals, isPage)).toBe(false);
  expect(pageAddress()).toBeUndefined();
});

const documentWithBase = { baseURI: "https://app.example.com/base/" };
const blobLocation = { href: "blob:https://app.example.com/5c1b", origin: "https://app.example.com" };
it.each<[string, Record<string, unknown>, string | undefined]>([
  [
    "the document's base URL",
    { process: undefined, document: documentWithBase, location: pageLocation },
    documentWithBase.baseURI,
  ],
  ["the page's origin in a Blob worker", { ...inWorker, location: blobLocation }, blobLocation.origin],
  [
    "undefined in a Blob worker with an opaque origin",
    { ...inWorker, location: { href: "blob:null/5", origin: "null" } },
    undefined,
  ],
  [
    "undefined if there is no location",
    { process: undefined, document: emptyDocument, location: undefined },
    undefined,
  ],
])("pageAddress() returns %s", (_, globals, address) => {
  expect(within(globals, pageAddress)).toBe(address);
});

let instances = 0;
it.each([
  ["set `cache` if the runtime supports the option", Request, true],
  ["do not set `cache` if the runtime ignores the option", class {}, false],
  ["do not set `cache` if the runtime rejects the option", undefined, false],
])("Requests %s", async (_, Request, expected) => {
  // A new instance of the module, which remembers the result.
  const instance = `../../src/runtime/environment.ts?${instances++}`;
  const fresh: typeof environment = await import(instance);
  expect(within({ Request }, fresh.mayForbidCaching)).toBe(expected);
});

describe("An environment variable", () => {
  const name = "TEMPLATE_PDF_TEST";

  it("is read on each access, and can be empty", () => {
    expect(readEnvironment(name)).toBeUndefined();
    for (const value of ["one", "two", ""]) {
      vi.stubEnv(name, value);
      expect(readEnvironment(name)).toBe(value);
    }
  });

  const get = () => {
    throw new Error("Requires env access");
  };
  it.each<[string, unknown]>([
    ["`process` does not exist", undefined],
    ["`process.env` is unreadable, as in Deno without permission", Object.defineProperty({}, "env", { get })],
  ])("is undefined if %s", (_, process) => {
    expect(within({ process }, () => readEnvironment(name))).toBeUndefined();
  });
});

describe("The host of a URL", () => {
  it.each<[host: string, isLoopback: boolean, isNamedLocal: boolean]>([
    ["localhost", true, true],
    ["LOCALHOST", true, true],
    ["ｌｏcal\u00adhost", true, true],
    ["%6cocalhost", true, true],
    ["user@localhost:80", true, true],
    ["127.0.0.1", true, true],
    ["127.0.0.1.", true, true],
    ["127.255.0.9", true, true],
    ["127.1", true, true],
    ["0x7f.1", true, true],
    ["017700000001", true, true],
    ["2130706433", true, true],
    ["１２７.0.0.1", true, true],
    ["127。0。0。1", true, true],
    ["[::1]", true, true],
    ["[0:0:0::0001]", true, true],
    // DNS may return any address for these names.
    ["x.localhost", false, true],
    ["X.LocalHost.", false, true],
    ["a.b.localhost.", false, true],
    ["localhost.", false, true],
    ["localhost。", false, true],
    ["127.0.0.1.localhost", false, true],
    [".localhost", false, false],
    ["localhost..", false, false],
    ["localhost.evil.com", false, false],
    ["evillocalhost", false, false],
    ["127.0.0.1.evil.com", false, false],
    ["127.0.0.1@evil.com", false, false],
    ["[::ffff:127.0.0.1]", false, false],
    ["[::127.0.0.1]", false, false],
    ["[::]", false, false],
    ["[::2]", false, false],
    ["[::1:1]", false, false],
    ["0.0.0.0", false, false],
    ["0", false, false],
    ["126.0.0.1", false, false],
    ["128.0.0.1", false, false],
    ["12.7.0.1", false, false],
  ])("%s always is this machine: %s; is meant to be this machine: %s", (host, always, meant) => {
    const { hostname } = new URL(`http://${host}`);
    expect({ always: isLoopback(hostname), meant: isNamedLocal(hostname) }).toEqual({ always, meant });
  });

  it.each([
    "",
    "127.0.0.1\n.evil.com",
    "localhost\n",
    "\nlocalhost",
    "x.localhost\n",
    "127.0.0",
    "[::1",
    "::1",
  ])("is not this machine if it is not a valid host: %j", (hostname) => {
    const found = { always: isLoopback(hostname), meant: isNamedLocal(hostname) };
    expect(found).toEqual({ always: false, meant: false });
  });
});
