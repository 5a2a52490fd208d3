import { defineConfig } from "vitest/config";
import base from "./vitest.config.ts";

const { MUTATION_TESTS = "test/*.test.ts" } = process.env;

const [source] = base.test?.projects ?? [];
if (typeof source !== "object" || !("test" in source))
  throw new Error("The first project is not the source.");

/**
 * The tests of the sources as one project: without those that read the sources instead of running them, and those
 * that count bytes, which what Stryker puts into every line would make slow and wrong.
 */
export default defineConfig({
  resolve: source.resolve ?? {},
  test: {
    tags: base.test?.tags ?? [],
    // What hangs is ended by Stryker, which knows how long a test took before.
    testTimeout: 20_000,
    hookTimeout: 20_000,
    include: MUTATION_TESTS.split(" "),
    exclude: [
      "test/architecture.test.ts",
      "test/**/*memory.test.ts",
      // It sets the umask, which a worker may not.
      "test/files/targets.test.ts",
    ],
  },
});
