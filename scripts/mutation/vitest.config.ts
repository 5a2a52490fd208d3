import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vitest/config";
import base from "../../vitest.config.ts";

/** Stryker selects threads, in which tests cannot change the umask or the folder of the process. */
const inProcesses: Plugin = {
  name: "in-processes",
  configureVitest({ project }) {
    project.config.pool = "forks";
  },
};

/** The tests of a project of the repository that run source code in their own process. */
function testsOf(name: string, include: string) {
  const found = base.test?.projects?.find((one) => {
    return typeof one === "object" && "test" in one && one.test?.name === name;
  });
  if (typeof found !== "object" || !("test" in found)) throw new Error(`Found no project ${name}.`);
  const { resolve = {}, plugins = [], test: { env = {} } = {} } = found;
  return {
    resolve,
    plugins: [...plugins, inProcesses],
    test: {
      name,
      env,
      include: [include],
      exclude: [
        // These tests run programs, or read the sources without running them.
        "test/{bench,cli,docs,emulator,guards,package,runtimes,support,types}/**",
        "test/architecture.test.ts",
        // These tests wait. Stryker runs concurrent tests one after the other, so they would take most of the time.
        "test/{faults,timeouts}/**",
        // These tests need a process each, or count bytes, which the mutants increase.
        "test/**/*.{isolated,slow}.test.ts",
        "test/**/*memory.test.ts",
      ],
      // Ends tests that wait forever because of a mutant.
      testTimeout: 10_000,
      isolate: false,
    },
  };
}

/** The source tests and the page tests, which Stryker runs in a copy of the repository. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    tags: base.test?.tags ?? [],
    dangerouslyIgnoreUnhandledErrors: true,
    projects: [testsOf("source", "test/**/*.test.ts"), testsOf("page", "test/**/*.page.test.ts")],
  },
});
