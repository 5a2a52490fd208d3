import { defineConfig } from "vitest/config";
import base from "../../vitest.config.ts";

const { MUTATION_TEST_TIMEOUT_MS, MUTATION_TESTS = "test/**/*.test.ts" } = process.env;

/** A project with the selected tests, which resolves modules like one of the projects of the repository. */
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
      // Ends tests that wait forever because of a mutant.
      testTimeout: Number(MUTATION_TEST_TIMEOUT_MS),
      hookTimeout: 30_000,
      pool: "forks" as const,
      isolate: true,
      include: MUTATION_TESTS.split(" "),
      exclude: [
        // These tests run programs, or read the sources without running them.
        "test/{bench,cli,docs,emulator,guards,package,runtimes,support,types}/**",
        "test/architecture.test.ts",
        // These tests count bytes, which the mutants increase.
        "test/**/*memory.{isolated.,}test.ts",
        ...exclude,
      ],
    },
  };
}

/** The source tests and the page tests, which scripts/mutation.mjs runs in a copy of the repository. */
export default defineConfig({
  root: `${import.meta.dirname}/../..`,
  test: {
    tags: base.test?.tags ?? [],
    dangerouslyIgnoreUnhandledErrors: true,
    projects: [projectLike("source", []), projectLike("page", ["test/**/!(*.page).test.ts"])],
  },
});
