import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { createInterface } from "node:readline";
import { atEnd } from "../../support/at-end.ts";

/** What `native-modules.mjs` tells. */
type Command =
  | { readonly type: "timer"; readonly timer: number; readonly delayMs?: number }
  | ({ readonly type: "send" } & Sent)
  | { readonly type: "abort"; readonly id: number }
  | {
      readonly type: "read";
      readonly blobId: string;
      readonly encoding: BufferEncoding;
      readonly reply: number;
    }
  | { readonly type: "done"; readonly outcomes: unknown };

interface Sent {
  readonly id: number;
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  readonly responseType: "blob" | "base64" | "text";
}

const nativeModules = readFileSync(new URL("native-modules.mjs", import.meta.url), "utf8");

/** The HTTP client, the blobs and the timers of a phone. They answer the native modules in a Hermes. */
class Host {
  readonly #hermes: ChildProcess;
  readonly #requests = new Map<number, ClientRequest>();
  readonly #blobs = new Map<string, Buffer>();

  constructor(hermes: ChildProcess) {
    this.#hermes = hermes;
  }

  /** Evaluates code in the global scope of Hermes, whose prompt reads one line at a time. */
  evaluate(code: string): void {
    this.#hermes.stdin?.write(`(0, eval)(${JSON.stringify(`${code}\n;undefined`)})\n`);
  }

  #call(method: "fire" | "emit" | "reply", ...args: readonly unknown[]): void {
    this.evaluate(`host.${method}(${args.map((arg) => JSON.stringify(arg)).join(", ")})`);
  }

  handle(command: Exclude<Command, { type: "done" }>): void {
    if (command.type === "timer") setTimeout(() => this.#call("fire", command.timer), command.delayMs);
    if (command.type === "send") this.#send(command);
    if (command.type === "abort") this.#requests.get(command.id)?.destroy();
    if (command.type === "read") {
      const text = this.#blobs.get(command.blobId)?.toString(command.encoding);
      this.#call("reply", command.reply, command.encoding === "base64" ? `data:;base64,${text}` : text);
    }
  }

  /** Follows redirects, as the HTTP clients of phones do, and reports the address of the response in its normal form. */
  #send(sent: Sent): void {
    const { id, method, headers, body } = sent;
    const url = new URL(sent.url);
    const complete = (error: string | null) =>
      this.#call("emit", "didCompleteNetworkResponse", [id, error, false]);
    const sending = request(url, { method, headers: Object.fromEntries(headers) }, (response) => {
      const { statusCode = 0, headers: received } = response;
      if (received.location) return this.#send({ ...sent, url: new URL(received.location, url).href });
      this.#call("emit", "didReceiveNetworkResponse", [id, statusCode, received, url.href]);
      readWhole(response).then(
        (whole) => {
          this.#call("emit", "didReceiveNetworkData", [id, this.#dataOf(whole, sent)]);
          complete(null);
        },
        ({ message }) => complete(message),
      );
    });
    this.#requests.set(id, sending);
    sending.on("error", ({ message }) => complete(message)).end(body);
  }

  #dataOf(whole: Buffer, { id, responseType }: Sent): unknown {
    if (responseType !== "blob") return whole.toString(responseType === "base64" ? "base64" : "utf8");
    this.#blobs.set(`${id}`, whole);
    return { blobId: `${id}`, offset: 0, size: whole.length };
  }
}

async function readWhole(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * Runs a bundle of React Native in Hermes.
 *
 * @param program - the virtual machine
 * @param constants - global variables
 * @returns what the bundle passes to `host.done`
 * @throws {Error} if Hermes reports an error that nothing catches
 */
export function runInHermes(
  program: string,
  bundle: string,
  constants: Readonly<Record<string, string>>,
): Promise<unknown> {
  // Without a queue, its promises would run in the timers of React Native.
  const hermes = spawn(program, ["-Xmicrotask-queue"], { stdio: ["pipe", "pipe", "inherit"] });
  const stop = () => hermes.kill("SIGKILL");
  const forget = atEnd(stop);
  // Answers may arrive after its end.
  hermes.stdin.on("error", () => {});
  const host = new Host(hermes);
  return new Promise<unknown>((resolve, reject) => {
    let printed = "";
    createInterface({ input: hermes.stdout }).on("line", (line) => {
      printed += `${line}\n`;
      if (/Uncaught |: error: /.test(line))
        setImmediate(() => reject(new Error(`Hermes failed:\n${printed}`)));
      const [, json] = /^(?:>> )*@(.*)/.exec(line) ?? [];
      if (json === undefined) return;
      const command = JSON.parse(json) as Command;
      if (command.type === "done") resolve(command.outcomes);
      else host.handle(command);
    });
    hermes.on("close", () => reject(new Error(`Hermes ended:\n${printed}`)));
    host.evaluate(`(function () {${nativeModules}})()`);
    host.evaluate(`Object.assign(globalThis, ${JSON.stringify(constants)})`);
    host.evaluate(bundle);
  }).finally(() => {
    stop();
    forget();
  });
}
