import { execFile } from "node:child_process";
import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { consumer } from "../../package/consumer.ts";
import { environmentOfUsers } from "../../support/environment-of-users.ts";
import { type RunningProgram, startProgram } from "../../support/programs.ts";
import { makeTemporaryFolder } from "../../support/temporary-folder.ts";

/** examples/browser, as a reader has it who copied and installed it: with the packed package. */

const source = fileURLToPath(new URL("../../../examples/browser", import.meta.url));

/** One version of each, so that a run is the same tomorrow. */
export const pinned: Readonly<Record<string, string>> = {
  "@hono/node-server": "2.1.8",
  pdfmake: "0.3.11",
  sirv: "3.0.2",
  typescript: "5.9.3",
  vite: "8.3.8",
  zod: "4.6.7",
};

export class Example {
  readonly #temporary = makeTemporaryFolder("page");
  readonly folder = this.#temporary.path;

  async install(): Promise<void> {
    const tarball = readdirSync(consumer).find((file) => file.endsWith(".tgz")) ?? "nothing-was-packed";
    // Without what a reader who ran it here has installed and built.
    cpSync(source, this.folder, {
      recursive: true,
      filter: (path) => !/[\\/](?:node_modules|dist)$/.test(path),
    });
    const packages = Object.entries(pinned).map(([name, version]) => `${name}@${version}`);
    await this.npm(
      "install",
      "--no-audit",
      "--no-fund",
      "--prefer-offline",
      join(consumer, tarball),
      ...packages,
    );
  }

  /** Runs npm in its folder, and tells what it printed where that fails. */
  async npm(...args: string[]): Promise<void> {
    await promisify(execFile)("npm", args, { cwd: this.folder, env: environmentOfUsers() }).catch((error) => {
      throw new Error(`${error.message}\n${error.stdout}`);
    });
  }

  /**
   * Starts a server of it on a free port.
   *
   * @param script - the script of its package.json
   * @param service - where its documents come from; without, from its own emulator
   */
  start(
    script: string,
    service?: { baseUrl: string; apiKey: string },
    ...flags: string[]
  ): Promise<RunningProgram> {
    const settings: Record<string, string> = service
      ? { TEMPLATE_PDF_BASE_URL: service.baseUrl, TEMPLATE_PDF_API_KEY: service.apiKey }
      : {};
    return startProgram("npm", ["run", script, "--", "--port", "0", ...flags], {
      cwd: this.folder,
      env: settings,
      ready: /^The page: +http:\/\/127\.0\.0\.1:(\d+)\/$/m,
    });
  }

  remove(): void {
    this.#temporary.remove();
  }
}
