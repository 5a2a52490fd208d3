import { type ChildProcess, execFile, spawn } from "node:child_process";

/** Runs a program of Node to its end, without what this test run has put into the environment. */
export function runAlone(
  cwd: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<{ printed: string; exitCode: number }> {
  return new Promise((resolve) => {
    const options = { cwd, env: environment(settings), maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      const exitCode = typeof error?.code === "number" ? error.code : error ? 1 : 0;
      resolve({ printed: `${stdout}${stderr}`, exitCode });
    });
  });
}

/** A program that serves something, and what it has printed. */
export class Serving {
  readonly #process: ChildProcess;
  printed = "";

  private constructor(process: ChildProcess) {
    this.#process = process;
  }

  /**
   * Starts a program of Node.
   *
   * @param ready - finds its port in what it prints, once it can be called
   */
  static start(
    cwd: string,
    args: readonly string[],
    settings: Readonly<Record<string, string>>,
    ready: RegExp,
  ): Promise<{ serving: Serving; origin: string }> {
    const child = spawn(process.execPath, args, {
      cwd,
      env: environment(settings),
      stdio: ["pipe", "pipe", "pipe"],
    });
    const serving = new Serving(child);
    return new Promise((resolve, reject) => {
      const hear = (chunk: Buffer) => {
        serving.printed += chunk;
        const port = ready.exec(serving.printed)?.[1];
        if (port !== undefined) resolve({ serving, origin: `http://localhost:${port}` });
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
      child.on("exit", (code) => reject(new Error(`It ended with ${code}.\n${serving.printed}`)));
    });
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    await new Promise((resolve) => {
      this.#process.once("exit", resolve);
      this.#process.kill();
    });
  }
}

function environment(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const {
    NODE_OPTIONS,
    NODE_V8_COVERAGE,
    NODE_ENV,
    VITEST,
    DEV,
    PROD,
    MODE,
    TEST,
    FORCE_COLOR,
    CI,
    ...rest
  } = process.env;
  return { ...rest, NO_COLOR: "1", NEXT_TELEMETRY_DISABLED: "1", ...settings } as NodeJS.ProcessEnv;
}
