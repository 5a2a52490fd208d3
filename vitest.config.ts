import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vitest/config";

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

/** In watch mode, tests that load `dist` run again when a source changes: Vitest knows only the sources that they import. */
function watchesBuiltSources(): Plugin {
  const sources = readdirSync(source(""), { recursive: true, encoding: "utf8" }).map(source);
  let isWatching = false;
  return {
    name: "watches-built-sources",
    configureVitest({ vitest }) {
      isWatching = vitest.config.watch;
    },
    transform(code) {
      if (!isWatching || !/"#(?:renderer|playground)"|dist\/cli\/main\.js/.test(code)) return;
      for (const path of sources) if (/\.tsx?$/.test(path)) this.addWatchFile(path);
    },
  };
}

/** These tests change a module or a global permanently, or measure their process. Each file runs in its own process. */
const isolated = "test/**/*.isolated.test.ts";

/** These tests start whole programs or render many documents. They are part of `npm run runtimes`, not of `npm run verify`. */
const slow = "test/**/*.slow.test.ts";

/** These tests wait for timeouts, which takes no CPU. They run after the others, which would slow them down. */
const waiting = "test/timeouts/**/*.test.ts";

/**
 * How many concurrent tests of a file run at the same time: most cells of the fault table only wait for a timeout.
 * A process keeps the limit of its first file, so a test file cannot set it.
 */
const maxConcurrency = 48;

export default defineConfig({
  test: {
    // Vitest calls the set-up of the root for every run, whichever projects it runs.
    globalSetup: ["test/support/build-before-tests.ts"],
    // More workers than cores, because many tests only wait.
    maxWorkers: 3,
    // Files must not depend on each other: `--sequence.seed` runs them in another order.
    sequence: { shuffle: { files: true }, seed: 1 },
    tags: [{ name: "property", description: "Property tests; `npm run fuzz` runs only these." }],
    projects: [
      {
        // Several files share a process, because starting one takes longer than most files.
        resolve,
        plugins: [watchesBuiltSources()],
        test: {
          name: "source",
          include: ["test/**/*.test.ts"],
          exclude: ["test/{package,runtimes}/**", isolated, slow, waiting],
          setupFiles: ["test/support/leaves-nothing.ts"],
          testTimeout: 30_000,
          isolate: false,
          maxConcurrency,
        },
      },
      {
        resolve,
        plugins: [watchesBuiltSources()],
        test: {
          name: "slow",
          include: [slow],
          exclude: ["test/{package,runtimes}/**"],
          setupFiles: ["test/support/leaves-nothing.ts"],
          testTimeout: 30_000,
          isolate: false,
        },
      },
      {
        // Runs some of the source tests again with the modules that browsers load, as part of `npm run runtimes`.
        resolve: {
          alias: [{ find: "#platform", replacement: source("platform/browser.ts") }, ...resolve.alias],
        },
        test: {
          name: "page",
          include: ["test/**/*.page.test.ts"],
          env: { TEMPLATE_PDF_BUILD: "browser" },
          setupFiles: ["test/support/leaves-nothing.ts"],
          testTimeout: 30_000,
          isolate: false,
          maxConcurrency,
        },
      },
      {
        resolve,
        plugins: [watchesBuiltSources()],
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
          // These files only wait, so eight run in two rounds.
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Tests the installed tarball. Runs after the others, because their compilers would distort the
        // measurements.
        test: {
          name: "package",
          include: ["test/package/**/*.test.ts"],
          globalSetup: ["test/package/install.ts"],
          testTimeout: 60_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        // Tests that need other runtimes, compilers and tools. Part of `npm run runtimes`, not of `npm run verify`.
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
