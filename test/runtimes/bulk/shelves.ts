import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** The values of a job of `run.mjs`. */
export interface Values {
  readonly n: number;
  readonly shelf: number;
  readonly version?: number;
}

/** The document of a job: no two are alike. */
export function documentOf({ n, version = 0 }: Values): Buffer {
  const body = `document ${n} in version ${version}\n`.repeat(20 + ((n * 37) % 400));
  return Buffer.from(`%PDF-1.7\n${body}%%EOF\n`);
}

/** A service that notes which run has asked for which document, by its key. */
export class Shelves {
  /** What each run has asked for, in the order in which it did. */
  readonly asked = new Map<string, Values[]>();
  /** Called with every request. */
  onRequest: () => void = () => {};
  /** What is answered with 422, and no document. */
  refuses: (values: Values) => boolean = () => false;
  readonly #server: Server;
  #port = 0;

  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("error", () => {});
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const values: Values = JSON.parse(Buffer.concat(chunks).toString());
        const run = request.headers.authorization?.replace("API-Key ", "") ?? "";
        this.asked.set(run, [...(this.asked.get(run) ?? []), values]);
        this.onRequest();
        // Long enough that others are under way; the same in every run.
        setTimeout(
          () => {
            if (this.refuses(values)) {
              response.writeHead(422).end();
              return;
            }
            const bytes = documentOf(values);
            response.writeHead(200, { "content-type": "application/pdf", "content-length": bytes.length });
            response.write(bytes.subarray(0, bytes.length / 2));
            setImmediate(() => response.end(bytes.subarray(bytes.length / 2)));
          },
          (values.n * 7) % 11,
        );
      });
    });
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Listens, on the port it had before where it had one. */
  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}

/** What of some jobs the journal in a folder has recorded, by their own reckoning of its hashes. */
export function recordedOf(folder: string, jobs: readonly Values[]): Set<number> {
  const path = join(folder, "run.journal");
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return new Set();
  const [header = "", ...rest] = readFileSync(path, "utf8").split("\n");
  // It was not begun, or is none.
  if (!/^\{"format":.*\}$/.test(header)) return new Set();
  // What has no newline is not written.
  const lines = rest.slice(0, -1).flatMap((line) => {
    const [, key, input] = /^([\w-]{16})([\w-]{16})[\w-]{6}$/.exec(line) ?? [];
    return key === undefined ? [] : [[key, input] as const];
  });
  const inputs = new Map(lines);
  const { salt } = JSON.parse(header);
  const hashOf = (what: string, text: string) =>
    createHash("sha256").update(`${salt} ${what} ${text}`).digest().subarray(0, 12).toString("base64url");
  const isRecorded = (values: Values) =>
    inputs.get(hashOf("key", `out/${values.shelf}/${values.n}.pdf`)) ===
    hashOf("input", JSON.stringify(["t", values]));
  return new Set(jobs.filter(isRecorded).map(({ n }) => n));
}

/** All files in a folder, by their paths in it. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();
}
