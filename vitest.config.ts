import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

const resolve = {
  alias: [
    { find: "#platform", replacement: source("platform/node.ts") },
    { find: "#sockets", replacement: source("testing/sockets/node.ts") },
    { find: /^template-pdf$/, replacement: source("index.ts") },
    { find: /^template-pdf\/browser$/, replacement: source("browser/index.ts") },
    { find: /^template-pdf\/handler$/, replacement: source("handler/index.ts") },
    { find: /^template-pdf\/emulator$/, replacement: source("emulator/index.ts") },
    { find: /^template-pdf\/testing$/, replacement: source("testing/index.ts") },
  ],
};

/** They watch limits of time: what they wait for takes no core, and little beside them may. */
const waiting = ["test/client/timeouts*.test.ts", "test/network/closing-servers.test.ts"];

/** Where tests ask functions and objects, which hold nothing beyond them. */
const withoutState =
  /^(?:[^/]+|(?:emulator\/(?:faults|renderer\/json)|input|server|template-types(?:\/json-schema)?|testing)\/[^/]+)$/;

/** What another file would find changed, or what asks for a process of its own. */
const shared = /\b(?:vi|process)\.|\b(?:globalThis|Worker|memory)\b|\b(?:spawn|exec\w*|gc|listen)\(/;

/** Several of these may run in one process, whose start takes longer than most of them. */
const together = readdirSync(new URL("test", import.meta.url), { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".test.ts") && withoutState.test(path))
  .filter((path) => !shared.test(readFileSync(new URL(`test/${path}`, import.meta.url), "utf8")))
  .map((path) => `test/${path}`);

export default defineConfig({
  test: {
    // More than a small machine has cores; vitest would leave one to itself, and many tests wait for something.
    maxWorkers: 3,
    tags: [
      { name: "property", description: "Says what holds for anything; `npm run fuzz` runs these alone." },
    ],
    projects: [
      {
        resolve,
        test: {
          name: "source",
          include: ["test/**/*.test.ts"],
          exclude: ["test/{package,runtimes}/**", ...waiting, ...together],
          testTimeout: 20_000,
        },
      },
      {
        resolve,
        test: { name: "source-together", include: together, testTimeout: 20_000, isolate: false },
      },
      {
        resolve,
        test: {
          name: "waiting",
          include: waiting,
          testTimeout: 20_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // What npm would publish, installed. After the others, because compilers beside them would spoil
        // what they measure.
        test: {
          name: "package",
          include: ["test/package/**/*.test.ts"],
          globalSetup: ["test/package/install.ts"],
          testTimeout: 60_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        // The same, with runtimes, compilers and tools that have to be installed first: for `npm run runtimes`, outside `npm run verify`.
        test: {
          name: "runtimes",
          include: ["test/runtimes/**/*.test.ts"],
          globalSetup: ["test/runtimes/install.ts"],
          testTimeout: 60_000,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
