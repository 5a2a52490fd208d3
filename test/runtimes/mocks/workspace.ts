import { type ExecFileException, execFile } from "node:child_process";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { consumer } from "../../package/consumer.ts";
import { environmentOfUsers } from "../../support/environment-of-users.ts";
import { listen } from "../../support/sockets.ts";
import { makeTemporaryFolder } from "../../support/temporary-folder.ts";
import type { Combination } from "./combinations.ts";
import { writeProject } from "./write-project.ts";

const examples = fileURLToPath(new URL("../../../examples/", import.meta.url));

/** How the tests of a project ended. */
interface Outcome {
  readonly printed: string;
  readonly exitCode: number;
  readonly passed: number;
}

/** The same, and what reached the service meanwhile. */
export interface Run extends Outcome {
  readonly requests: number;
  readonly sockets: number;
}

/** A folder that has installed the packed package beside other packages; projects stand in it. */
export class Workspace {
  readonly #temporary = makeTemporaryFolder("workspace");
  readonly folder = this.#temporary.path;

  /** @param packages - as `npm install` takes them */
  async install(...packages: readonly string[]): Promise<void> {
    const tarball = readdirSync(consumer).find((file) => file.endsWith(".tgz")) ?? "nothing-was-packed";
    writeFileSync(join(this.folder, "package.json"), "{}");
    const args = ["install", "--no-audit", "--no-fund", "--prefer-offline", join(consumer, tarball)];
    const { exitCode, printed } = await execute("npm", [...args, ...packages], this.folder, process.env);
    if (exitCode !== 0) throw new Error(printed);
  }

  /** Installs what example projects need, copies them, and returns their folders. */
  async installExamples(...names: readonly string[]): Promise<string[]> {
    const packages = names.flatMap((name) => {
      const manifest = JSON.parse(readFileSync(join(examples, name, "package.json"), "utf8"));
      const { "template-pdf": _ours, ...needed } = { ...manifest.dependencies, ...manifest.devDependencies };
      return Object.entries(needed).map(([needs, range]) => `${needs}@${range}`);
    });
    await this.install(...new Set(packages));
    return names.map((name) => {
      const folder = join(this.folder, name);
      // Without what a reader who ran it here has installed and built.
      const built = /[\\/](?:node_modules|dist|\.next|public[\\/]page\.js)$/;
      cpSync(join(examples, name), folder, { recursive: true, filter: (path) => !built.test(path) });
      return folder;
    });
  }

  /**
   * Writes a project and runs its tests, while the service itself listens at the address that they mock.
   *
   * @param node - the program that runs them
   */
  async run(combination: Combination, node = process.execPath): Promise<Run> {
    const { title, format, moment, runner } = combination;
    const project = join(this.folder, [title, format, moment].join(" ").replaceAll(/\W+/g, "-"));
    writeProject(project, combination);
    let requests = 0;
    const service = await listen((request, response) => {
      requests += 1;
      request.resume().on("end", () => response.end("%PDF-1.4\nmade by the service itself\n%%EOF"));
    });
    onTestFinished(() => service.close());
    const vitest = join(this.folder, "node_modules/vitest/vitest.mjs");
    const args = runner === "vitest run" ? [vitest, "run"] : ["--test", "--test-reporter=tap"];
    const outcome = await runTests(project, node, args, {
      TEMPLATE_PDF_BASE_URL: service.origin,
      TEMPLATE_PDF_API_KEY: "key-of-the-tests",
    });
    return { ...outcome, requests, sockets: service.allSockets };
  }

  remove(): void {
    this.#temporary.remove();
  }
}

/** Runs the tests of a project, without what this test run has put into the environment. */
export async function runTests(
  project: string,
  command: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const { exitCode, printed } = await execute(command, args, project, environmentOfUsers(settings));
  const passed = /^(?:#|ℹ) pass (\d+)$|^ *Tests:? +(\d+) passed/m.exec(printed)?.slice(1);
  return { printed, exitCode, passed: Number(passed?.find((count) => count !== undefined) ?? 0) };
}

function execute(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
  const shell = process.platform === "win32" && command === "npm";
  return new Promise<{ exitCode: number; printed: string }>((resolve) => {
    execFile(command, args, { cwd, env, shell }, (error: ExecFileException | null, stdout, stderr) => {
      const exitCode = typeof error?.code === "number" ? error.code : error ? 1 : 0;
      resolve({ exitCode, printed: `${error ? error.message : ""}\n${stdout}${stderr}` });
    });
  });
}
