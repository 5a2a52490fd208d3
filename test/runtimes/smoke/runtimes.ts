import { inBrowser } from "./in-browser.ts";
import { inBun, inDeno, inNode } from "./in-process.ts";
import { inWorkerd } from "./in-workerd.ts";
import type { Facts, Runtime } from "./runtime.ts";

const MiB = 1024 * 1024;

const node: Facts = {
  transport: "undici",
  hasFiles: true,
  isPage: false,
  hasEnvironment: true,
  // Mostly what the systems of both sides hold.
  mostUnreadBytes: 16 * MiB,
};

const bun: Facts = { ...node, transport: "fetch" };

const deno: Facts = { ...bun, otherwise: { deflate: "InvalidPdfError" } };

const workerd: Facts = {
  ...deno,
  hasFiles: false,
  hasEnvironment: false,
  otherwise: { ...deno.otherwise, "103 Early Hints, twice": "ApiError 103" },
};

const page: Facts = {
  ...workerd,
  isPage: true,
  // No page is told where an answer would send it.
  otherwise: { "302 to another address": "ApiError 0" },
};

const chromium: Facts = { ...page, mostUnreadBytes: 192 * MiB };

const firefox: Facts = {
  ...page,
  mostUnreadBytes: undefined,
  otherwise: {
    ...page.otherwise,
    "something that is no HTTP": "InvalidPdfError",
    "closed after the head": "ConnectionError",
  },
};

/** Where the suite runs, in the order of docs/reports/runtimes.md. */
export const runtimes: readonly Runtime[] = [
  ...([20, 22, 24, 26] as const).flatMap((version) => [
    { name: `Node ${version}`, as: "ES module", facts: node, run: inNode(version, "esm") },
    { name: `Node ${version}`, as: "CommonJS", facts: node, run: inNode(version, "cjs") },
  ]),
  { name: "Bun", as: "ES module", facts: bun, run: inBun("esm") },
  { name: "Bun", as: "CommonJS", facts: bun, run: inBun("cjs") },
  { name: "Deno", as: "ES module", facts: deno, run: inDeno("esm", true) },
  { name: "Deno", as: "CommonJS", facts: deno, run: inDeno("cjs", true) },
  {
    name: "Deno",
    as: "ES module, no `--allow-env`",
    facts: { ...deno, hasEnvironment: false },
    run: inDeno("esm", false),
  },
  { name: "workerd", as: "ES module, bundled", facts: workerd, run: inWorkerd },
  { name: "Chromium", as: "page, bundled", facts: chromium, run: inBrowser("chromium", "runSmoke") },
  {
    name: "Chromium",
    as: "web worker, bundled",
    facts: chromium,
    run: inBrowser("chromium", "runSmokeInWorker"),
  },
  { name: "Firefox", as: "page, bundled", facts: firefox, run: inBrowser("firefox", "runSmoke") },
  {
    name: "Firefox",
    as: "web worker, bundled",
    facts: firefox,
    run: inBrowser("firefox", "runSmokeInWorker"),
  },
];
