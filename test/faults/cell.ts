import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ApiError,
  type ClientOptions,
  type GeneratedPdf,
  type PendingPdf,
  TemplatePdf,
  TemplatePdfError,
  TimeoutError,
} from "template-pdf";
import type { ScriptedFault } from "../../src/service/faults/fault-script.ts";
import { fakePdf } from "../../src/testing/fake-pdf.ts";
import { forms as everyForm, readAt, type stages } from "../client/every-form.ts";
import { type Issued, inDays, makeAuthority } from "../support/certificates.ts";
import { FaultServer } from "../support/faults/fault-server.ts";
import { transports } from "../support/service.ts";
import { hostName } from "./host-names.ts";
import type { Row, Transport } from "./row.ts";

/** One question to the table: what does this form give, of this fault, by this transport? */
export interface Cell {
  readonly row: Row;
  readonly transport: Transport;
  readonly form: string;
  readonly stage: (typeof stages)[number];
  /** The fault happens once, and the client may try again; else it happens every time, and the client may not. */
  readonly once: boolean;
  /** The client may not try again what may have been rendered. Default: it may. */
  readonly mayRenderTwice?: boolean;
}

/** What came of it. */
export interface Result {
  readonly outcome: string;
  readonly attempts: number;
  /** What is left in the folder that the document was to be saved in. */
  readonly files: readonly string[];
  /** The service was asked more often than it was told to us. */
  readonly isOverasked: boolean;
  /** A connection is still at work, or of undici: still there once the client was closed. */
  readonly isBusy: boolean;
}

/** Longer than the 64 KiB that an unread document may hold. */
const whole = fakePdf({ bytes: 100_000 });

/** How long the one clock runs that a row expects to stop at, and how long all others do. */
const short = 700;
const long = 30_000;

export const forms = everyForm.map(([form]) => form);

/** Plays one cell from its server to the last socket. */
export async function play(cell: Cell): Promise<Result> {
  const { row, transport } = cell;
  const folder = cell.form === "saveTo()" ? await mkdtemp(join(tmpdir(), "template-pdf-fault-")) : undefined;
  const document = row.scene.whole?.(whole) ?? whole;
  const stage = await Stage.set(row);
  let retries = 0;
  const client = new TemplatePdf({
    baseUrl: stage.baseUrl,
    apiKey: "key-of-the-tests",
    allowInsecureHttp: true,
    timeouts: timeoutsOf(row, transport),
    retry: cell.once && { mayRenderTwice: cell.mayRenderTwice },
    hooks: {
      retry: () => {
        retries += 1;
        stage.mend();
      },
    },
    ...carriedBy(transport),
  });
  try {
    if (row.scene.warm) await client.generate("warm", {}).bytes();
    if (row.scene.hungUp) await stage.hangUp();
    stage.begin(cell.once);
    const values = row.scene.largeRequest ? { note: "x".repeat(3_000_000) } : { total: "1,000" };
    let attempts = 1;
    let outcome: string;
    let requests: number | undefined;
    try {
      const got = await readAt(cell.stage, client.generate("inv_2024", values), (from) =>
        folder === undefined ? read(cell.form, from) : saved(from, join(folder, "saved.pdf")),
      );
      attempts = 1 + retries;
      outcome = Buffer.compare(got, document) === 0 ? "whole" : `${got.length} other bytes`;
      requests = stage.requests;
      if (row.scene.again) await again(client, stage);
    } catch (error) {
      attempts = error instanceof TemplatePdfError ? error.attempts : Number.NaN;
      outcome = inWords(error);
    }
    requests ??= stage.requests;
    await within(5_000, client.close());
    const isFree = await within(
      5_000,
      stage.until((server) => isLetGo(server, cell)),
    );
    return {
      outcome,
      attempts,
      files: folder === undefined ? [] : await readdir(folder),
      isOverasked: requests > attempts * (transport === "fetch" ? row.requestsByFetch : 1),
      isBusy: !isFree,
    };
  } finally {
    await stage.clear();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** Whether nothing is under way any more. A fetch keeps idle connections for others: they are the runtime's. */
function isLetGo({ playing, openSockets }: FaultServer, { row, transport }: Cell): boolean {
  if (transport === "undici") return openSockets === 0;
  return playing === 0 || row.scene.lingersByFetch === true;
}

/** The server of one cell, and the way to it. */
class Stage {
  readonly #row: Row;
  #server: FaultServer;
  readonly #port: number;
  readonly #address: string;
  readonly #host: ReturnType<typeof hostName> | undefined;
  #restarted: Promise<void> | undefined;
  #requestsBefore = 0;

  private constructor(row: Row, server: FaultServer, address: string) {
    this.#row = row;
    this.#address = address;
    this.#server = server;
    this.#port = server.port;
    this.#host = row.scene.name && hostName(row.scene.name);
  }

  static async set(row: Row): Promise<Stage> {
    const { certificate } = row.scene;
    const tls = certificate && identities[certificate];
    const address = row.scene.refused ? addressOfOnesOwn() : "127.0.0.1";
    const stage = new Stage(row, await FaultServer.start({ document: whole, tls, host: address }), address);
    if (row.scene.refused) await stage.#server.close();
    return stage;
  }

  get baseUrl(): string {
    return `${this.#row.scene.https ? "https" : "http"}://${this.#host?.name ?? this.#address}:${this.#port}`;
  }

  get requests(): number {
    return this.#server.requests.length - this.#requestsBefore;
  }

  /** Lets the fault happen from now on. */
  begin(once: boolean): void {
    this.#requestsBefore = this.#server.requests.length;
    const { fault, secondTry } = this.#row;
    const staysWrong = !once || secondTry === "in vain";
    if ((fault as ScriptedFault).script(whole).length > 0)
      this.#server.fail(fault, staysWrong ? {} : { times: 1 });
  }

  /** Takes away what was wrong around the server. */
  mend(): void {
    this.#host?.becomesKnown();
    if (this.#row.scene.refused) this.#restarted ??= this.#restart();
  }

  async hangUp(): Promise<void> {
    this.#server.hangUp();
    await this.#server.until(({ openSockets }) => openSockets === 0);
  }

  until(isSo: (server: FaultServer) => boolean): Promise<void> {
    return this.#server.until(isSo);
  }

  well(): void {
    this.#server.reset();
  }

  async clear(): Promise<void> {
    await this.#restarted;
    if (!this.#row.scene.refused || this.#restarted) await this.#server.close();
  }

  async #restart(): Promise<void> {
    this.#server = await FaultServer.start({ document: whole, port: this.#port, host: this.#address });
  }
}

/** Where nobody else takes a port that was let go of; only Linux has more than one such address by itself. */
function addressOfOnesOwn(): string {
  const number = () => 1 + ((crypto.getRandomValues(new Uint8Array(1))[0] ?? 0) % 254);
  return process.platform === "linux" ? `127.${number()}.${number()}.${number()}` : "127.0.0.1";
}

const identities: Readonly<Record<"self-signed" | "expired", Issued>> = {
  "self-signed": makeAuthority("127.0.0.1"),
  expired: makeAuthority("127.0.0.1", inDays(-1)),
};

function carriedBy(transport: Transport): ClientOptions {
  return transports.find(([name]) => name === transport)?.[1] ?? {};
}

function timeoutsOf({ scene, ...row }: Row, transport: Transport) {
  const phase = /^TimeoutError \((.+)\)$/.exec(row[transport])?.[1];
  const all = { connect: long, firstByte: long, stall: long, unread: long, total: long };
  return { ...all, ...(phase && { [phase]: short }), ...scene.timeouts };
}

function read(form: string, from: PendingPdf | GeneratedPdf): Promise<Uint8Array> {
  const reader = everyForm.find(([name]) => name === form)?.[1];
  if (!reader) throw new Error(`There is no form ${form}.`);
  return reader(from);
}

async function saved(from: PendingPdf | GeneratedPdf, path: string): Promise<Uint8Array> {
  await from.saveTo(path);
  return readFile(path);
}

/** The next call gets its own document, and nothing that was left on the connection. */
async function again(client: TemplatePdf, stage: Stage): Promise<void> {
  stage.well();
  const next = await client.generate("next", {}).bytes();
  if (Buffer.compare(next, whole) !== 0) throw new Error("The next call got what was left by this one.");
}

function inWords(error: unknown): string {
  if (error instanceof TimeoutError) return `TimeoutError (${error.phase})`;
  if (error instanceof ApiError) return `${error.name} ${error.status}`;
  return error instanceof TemplatePdfError ? error.name : `no error of ours: ${error}`;
}

/** Whether something ends in time. */
async function within(limitMs: number, what: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  const isDone = await Promise.race([what.then(() => true), late]);
  clearTimeout(timer);
  return isDone;
}
