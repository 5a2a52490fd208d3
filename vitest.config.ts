import { existsSync } from "node:fs";
import { resolve as resolvePath } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vitest/config";
import { AnyOrder } from "./test/support/any-order.ts";

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

const resolve = {
  alias: [
    { find: "#platform", replacement: source("platform/node.ts") },
    { find: "#sockets", replacement: source("testing/sockets/node.ts") },
    { find: /^template-pdf$/, replacement: source("index.ts") },
    { find: /^template-pdf\/browser$/, replacement: source("browser/index.ts") },
    { find: /^template-pdf\/bulk$/, replacement: source("bulk/index.ts") },
    { find: /^template-pdf\/queue$/, replacement: source("queue/index.ts") },
    { find: /^template-pdf\/handler$/, replacement: source("handler/index.ts") },
    { find: /^template-pdf\/handler\/node$/, replacement: source("handler/node.ts") },
    { find: /^template-pdf\/emulator$/, replacement: source("emulator/index.ts") },
    { find: /^template-pdf\/testing$/, replacement: source("testing/index.ts") },
  ],
};

/** Leads to what browsers load, as tsup.config.ts does: of a file `x.ts` with a twin `x.browser.ts`, the twin. */
const browserTwins: Plugin = {
  name: "browser-twins",
  enforce: "pre",
  resolveId(path, importer) {
    if (!importer || !/^\..*\.ts$/.test(path)) return undefined;
    const twin = resolvePath(importer, "..", path.replace(/\.ts$/, ".browser.ts"));
    return existsSync(twin) ? twin : undefined;
  },
};

/** They change a module or a global for good, or measure their process: each gets a process of its own. */
const isolated = "test/**/*.isolated.test.ts";

/** They wait for limits of time, which takes no core. They run after the others, which would slow them down. */
const waiting = "test/timeouts/**/*.test.ts";

export default defineConfig({
  test: {
    // More than a small machine has cores; vitest would leave one to itself, and many tests wait for something.
    maxWorkers: 3,
    sequence: { sequencer: AnyOrder },
    tags: [
      { name: "property", description: "Says what holds for anything; `npm run fuzz` runs these alone." },
    ],
    projects: [
      {
        // Several files share a process, whose start takes longer than most of them.
        resolve,
        test: {
          name: "source",
          include: ["test/**/*.test.ts"],
          exclude: ["test/{package,runtimes}/**", isolated, waiting],
          setupFiles: ["test/support/leaves-nothing.ts"],
          testTimeout: 30_000,
          isolate: false,
        },
      },
      {
        // Tests of the others once more, with what browsers load: for `npm run runtimes`, too.
        resolve: { alias: [{ find: "#platform", replacement: source("platform/web.ts") }, ...resolve.alias] },
        plugins: [browserTwins],
        test: {
          name: "page",
          include: ["test/**/*.page.test.ts"],
          env: { TEMPLATE_PDF_BUILD: "browser" },
          setupFiles: ["test/support/leaves-nothing.ts"],
          testTimeout: 30_000,
          isolate: false,
        },
      },
      {
        resolve,
        test: {
          name: "source-isolated",
          include: [isolated],
          exclude: ["test/{package,runtimes}/**"],
          testTimeout: 30_000,
        },
      },
      {
        resolve,
        test: {
          name: "waiting",
          include: [waiting],
          testTimeout: 30_000,
          // They only wait: of eight files there are two rounds.
          maxWorkers: 4,
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
