import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export default defineConfig({
  test: {
    // All of a small machine; vitest would leave one core to itself, and most tests wait for something.
    maxWorkers: 2,
    tags: [
      { name: "property", description: "Says what holds for anything; `npm run fuzz` runs these alone." },
    ],
    projects: [
      {
        resolve: {
          alias: [
            { find: "#platform", replacement: source("platform/node.ts") },
            { find: "#sockets", replacement: source("testing/sockets/node.ts") },
            { find: /^template-pdf$/, replacement: source("index.ts") },
            { find: /^template-pdf\/emulator$/, replacement: source("emulator/index.ts") },
            { find: /^template-pdf\/testing$/, replacement: source("testing/index.ts") },
          ],
        },
        test: {
          name: "source",
          include: ["test/**/*.test.ts"],
          exclude: ["test/{package,runtimes}/**"],
          testTimeout: 20_000,
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
          sequence: { groupOrder: 1 },
        },
      },
      {
        // The same, with runtimes, compilers and tools that have to be installed first: for `npm run runtimes`, outside `npm run verify`.
        test: {
          name: "runtimes",
          include: ["test/runtimes/**/*.test.ts"],
          globalSetup: ["test/package/install.ts"],
          testTimeout: 60_000,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
