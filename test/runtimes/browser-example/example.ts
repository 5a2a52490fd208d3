import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { consumer } from "../../package/consumer.ts";

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

/** What drives and judges it. */
const tools = ["puppeteer-core@24.43.1", "axe-core@4.14.1"];

/** A server of the example that runs. */
export interface RunningServer {
  readonly origin: string;
  stop(): Promise<void>;
}

export class Example {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "template-pdf-page-")));

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
      ...tools,
    );
  }

  /** Runs npm in its folder, and tells what it printed where that fails. */
  async npm(...args: string[]): Promise<void> {
    await promisify(execFile)("npm", args, { cwd: this.folder, env: environment({}) }).catch((error) => {
      throw new Error(`${error.message}\n${error.stdout}`);
    });
  }

  /**
   * Starts a server of it on a free port.
   *
   * @param script - the script of its package.json
   * @param service - where its documents come from; without, from its own emulator
   */
  async start(
    script: string,
    service?: { baseUrl: string; apiKey: string },
    ...flags: string[]
  ): Promise<RunningServer> {
    const settings: Record<string, string> = service
      ? { TEMPLATE_PDF_BASE_URL: service.baseUrl, TEMPLATE_PDF_API_KEY: service.apiKey }
      : {};
    // A process group of its own: npm does not hand every signal on.
    const child = spawn("npm", ["run", script, "--", "--port", "0", ...flags], {
      cwd: this.folder,
      env: environment(settings),
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const exit = once(child, "exit");
    return {
      origin: await originOf(child),
      async stop() {
        process.kill(-(child.pid ?? Number.NaN), "SIGTERM");
        await exit;
      },
    };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function originOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = "";
    const read = (text: unknown) => {
      printed += text;
      const [, origin] = /^The page: +(\S+)\/$/m.exec(printed) ?? [];
      if (origin) resolve(origin);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.on("exit", () => reject(new Error(`The example's server ended:\n${printed}`)));
  });
}

/** What this test run has been started with, without what it has put there itself. */
function environment(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const {
    NODE_OPTIONS,
    NODE_V8_COVERAGE,
    NODE_ENV,
    VITEST,
    TEMPLATE_PDF_BASE_URL,
    TEMPLATE_PDF_API_KEY,
    ...env
  } = process.env;
  return { ...env, ...settings };
}
