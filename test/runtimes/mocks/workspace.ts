import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";
import { consumer } from "../../package/consumer.ts";
import { outputOf, runToEnd } from "../../support/programs.ts";
import { makeTemporaryFolder } from "../../support/temporary-folder.ts";

const examples = fileURLToPath(new URL("../../../examples/", import.meta.url));

/** The result of the tests of a project. */
interface Outcome {
  readonly printed: string;
  readonly exitCode: number | null;
  readonly passed: number;
}

/** A folder with the packed package and other packages, which contains projects. */
export class Workspace {
  readonly #temporary = makeTemporaryFolder("workspace");
  readonly folder = this.#temporary.path;

  /** @param packages - arguments of `npm install` */
  async install(...packages: readonly string[]): Promise<void> {
    const tarball = readdirSync(consumer).find((file) => file.endsWith(".tgz")) ?? "nothing-was-packed";
    writeFileSync(join(this.folder, "package.json"), "{}");
    const args = ["install", "--no-audit", "--no-fund", "--prefer-offline", join(consumer, tarball)];
    await outputOf("npm", [...args, ...packages], { cwd: this.folder });
  }

  /** Installs the packages of example projects and more, copies the projects, and returns their folders. */
  async installExamples(names: readonly string[], more: readonly string[] = []): Promise<string[]> {
    const packages = names.flatMap((name) => {
      const manifest = JSON.parse(readFileSync(join(examples, name, "package.json"), "utf8"));
      const { "template-pdf": _ours, ...needed } = { ...manifest.dependencies, ...manifest.devDependencies };
      return Object.entries(needed).map(([needs, range]) => `${needs}@${range}`);
    });
    await this.install(...new Set(packages), ...more);
    return names.map((name) => {
      const folder = join(this.folder, "examples", name);
      // Does not copy the packages and builds of earlier runs.
      const built = /[\\/](?:node_modules|dist|\.next|public[\\/]page\.js)$/;
      cpSync(join(examples, name), folder, { recursive: true, filter: (path) => !built.test(path) });
      return folder;
    });
  }

  remove(): void {
    this.#temporary.remove();
  }
}

/** A workspace for all tests of a file. */
export function useWorkspace(...packages: readonly string[]): Workspace {
  const workspace = new Workspace();
  if (packages.length > 0) beforeAll(() => workspace.install(...packages), 600_000);
  afterAll(() => workspace.remove(), 600_000);
  return workspace;
}

/** Runs the tests of a project with the environment of a user. */
export async function runTests(
  cwd: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const { exitCode, printed } = await runToEnd(command, args, { cwd, env });
  const passed = /^(?:#|ℹ) pass (\d+)$|^ *Tests:? +(\d+) passed/m.exec(printed)?.slice(1);
  return { printed, exitCode, passed: Number(passed?.find((count) => count !== undefined) ?? 0) };
}
