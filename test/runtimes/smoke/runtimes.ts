import type { Facts, Runtime } from "./runtime.ts";
import { inBrowser } from "./in-browser.ts";
import { inBun, inDeno, inNode } from "./in-process.ts";
import { inWorkerd } from "./in-workerd.ts";

const everywhere = { hasDisposal: true, mostUnreadBytes: 16 * 1024 * 1024 };

const node: Facts = { ...everywhere, transport: "undici", hasFiles: true, isPage: false, hasEnvironment: true };
const server: Facts = { ...node, transport: "fetch" };
const edge: Facts = { ...server, hasFiles: false, hasEnvironment: false };
const page: Facts = { ...edge, isPage: true };

/** Where the suite runs, in the order of docs/runtimes.md. */
export const runtimes: readonly Runtime[] = [
  ...([20, 22, 24, 26] as const).flatMap((version) => [
    { name: `Node ${version}`, as: "ES module", facts: node, run: inNode(version, "esm") },
    { name: `Node ${version}`, as: "CommonJS", facts: node, run: inNode(version, "cjs") },
  ]),
  { name: "Bun", as: "ES module", facts: server, run: inBun("esm") },
  { name: "Bun", as: "CommonJS", facts: server, run: inBun("cjs") },
  { name: "Deno", as: "ES module", facts: server, run: inDeno("esm", true) },
  { name: "Deno", as: "CommonJS", facts: server, run: inDeno("cjs", true) },
  {
    name: "Deno",
    as: "ES module, no `--allow-env`",
    facts: { ...server, hasEnvironment: false },
    run: inDeno("esm", false),
  },
  { name: "workerd", as: "ES module, bundled", facts: edge, run: inWorkerd },
  { name: "Chromium", as: "page, bundled", facts: page, run: inBrowser("chrome", "runSmoke") },
  { name: "Chromium", as: "web worker, bundled", facts: page, run: inBrowser("chrome", "runSmokeInWorker") },
  { name: "Firefox", as: "page, bundled", facts: page, run: inBrowser("firefox", "runSmoke") },
  { name: "Firefox", as: "web worker, bundled", facts: page, run: inBrowser("firefox", "runSmokeInWorker") },
];
