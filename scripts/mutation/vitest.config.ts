import { defineConfig } from "vitest/config";
import base from "../../vitest.config.ts";

const { MUTATION_TEST_TIMEOUT_MS, MUTATION_TESTS = "test/**/*.test.ts" } = process.env;

/** A project of the tests that were asked for, with the modules of one of the repository's projects. */
function projectLike(name: string, exclude: readonly string[]) {
  const found = base.test?.projects?.find((one) => {
    return typeof one === "object" && "test" in one && one.test?.name === name;
  });
  if (typeof found !== "object" || !("test" in found)) throw new Error(`Found no project ${name}.`);
  const { resolve = {}, plugins = [], test: { env = {} } = {} } = found;
  return {
    resolve,
    plugins,
    test: {
      name,
      env,
      runner: `${import.meta.dirname}/runner.mjs`,
      // A test with a mutant that waits for good is over after this.
      testTimeout: Number(MUTATION_TEST_TIMEOUT_MS),
      hookTimeout: 30_000,
      pool: "forks" as const,
      isolate: true,
      include: MUTATION_TESTS.split(" "),
      exclude: [
        // They run programs, or read the sources instead of running them.
        "test/{bench,cli,docs,emulator,guards,package,runtimes,support,types}/**",
        "test/architecture.test.ts",
        // They count bytes, which the mutants in every line make more.
        "test/**/*memory*.test.ts",
        ...exclude,
      ],
    },
  };
}

/** The tests of the sources, and those of what browsers load; scripts/mutation.mjs runs them, in a copy of the repository. */
export default defineConfig({
  root: `${import.meta.dirname}/../..`,
  test: {
    tags: base.test?.tags ?? [],
    dangerouslyIgnoreUnhandledErrors: true,
    projects: [projectLike("source", []), projectLike("page", ["test/**/!(*.page).test.ts"])],
  },
});
