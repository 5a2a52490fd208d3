import { defineConfig } from "vitest/config";
import base from "../../vitest.config.ts";

const [source] = base.test?.projects ?? [];
if (typeof source !== "object" || !("test" in source))
  throw new Error("The first project is not the source.");

const { MUTATION_TEST_TIMEOUT_MS, MUTATION_TESTS = "test/**/*.test.ts" } = process.env;

/** The tests of the sources as one project; scripts/mutation.mjs runs them, in a copy of the repository. */
export default defineConfig({
  root: `${import.meta.dirname}/../..`,
  resolve: source.resolve ?? {},
  test: {
    tags: base.test?.tags ?? [],
    runner: `${import.meta.dirname}/runner.mjs`,
    // A test with a mutant that waits for good is over after this.
    testTimeout: Number(MUTATION_TEST_TIMEOUT_MS),
    hookTimeout: 30_000,
    pool: "forks",
    isolate: true,
    dangerouslyIgnoreUnhandledErrors: true,
    include: MUTATION_TESTS.split(" "),
    exclude: [
      // They run programs, or read the sources instead of running them.
      "test/{bench,cli,docs,emulator,guards,package,runtimes,support,types}/**",
      "test/architecture.test.ts",
      // They count bytes, which the mutants in every line make more.
      "test/**/*memory*.test.ts",
    ],
  },
});
