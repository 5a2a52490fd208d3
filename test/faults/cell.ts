import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  ApiError,
  type ClientOptions,
  type GeneratedPdf,
  type PendingPdf,
  TemplatePdf,
  TemplatePdfError,
  TimeoutError,
} from "template-pdf";
import type { ScriptedFault } from "../../src/service/faults/faults.ts";
import { fakePdf } from "../../src/testing/fake-pdf.ts";
import { outputMethods, readAt, type stages } from "../client/output-methods.ts";
import { type Issued, inDays, makeAuthority } from "../support/certificates.ts";
import { FaultServer } from "../support/faults/fault-server.ts";
import { transports } from "../support/service.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { hostName } from "./host-names.ts";
import type { Row, Transport } from "./row.ts";

/** One cell of the table: a fault, an output method and a transport. */
export interface Cell {
  readonly row: Row;
  readonly transport: Transport;
  readonly method: string;
  readonly stage: (typeof stages)[number];
  /** The fault happens once and the client may retry. Otherwise it happens every time, without retries. */
  readonly once: boolean;
  /** Whether requests that may have been rendered are retried. Default: `true`. */
  readonly mayRenderTwice?: boolean;
}

/** The result of a cell. */
export interface Result {
  readonly outcome: string;
  readonly attempts: number;
  /** The files in the target folder. */
  readonly files: readonly string[];
  /** The service received more requests than the client reports. */
  readonly isOverasked: boolean;
  /** A connection is still active, or, with undici, still open after the client was closed. */
  readonly isBusy: boolean;
}

/** Longer than the 64 KiB that an unread document may hold. */
const whole = fakePdf({ bytes: 100_000 });

/** The value of timeouts that a row must not reach. */
const long = 30_000;

/** Longer than any timeout, and shorter than the time limit of a test, whose failure would not be a result. */
const longestWaitMs = 45_000;

/** The outcome of a call that neither succeeds nor fails. */
export const noOutcome = "no outcome";

export const methods = outputMethods.map(([method]) => method);

const identities: Readonly<Record<"self-signed" | "expired", Issued>> = {
  "self-signed": makeAuthority("127.0.0.1"),
  expired: makeAuthority("127.0.0.1", inDays(-1)),
};

/**
 * Plays one cell from its server to the last socket.
 *
 * @param limitMs - the limit that the row reaches
 */
export async function play(cell: Cell, limitMs: number): Promise<Result> {
  const { row, transport, once } = cell;
  const { scene, fault, secondTry } = row;
  const folder = cell.method === "saveTo()" ? makeTemporaryFolder("fault") : undefined;
  const document = scene.whole?.(whole) ?? whole;
  const host = scene.refused ? unsharedAddress() : "127.0.0.1";
  const tls = scene.certificate && identities[scene.certificate];
  const name = scene.name && hostName(scene.name);
  let server = await FaultServer.start({ document: whole, tls, host });
  if (scene.refused) await server.close();
  let restarted: Promise<FaultServer> | undefined;
  let retries = 0;
  const client = new TemplatePdf({
    baseUrl: `${scene.https ? "https" : "http"}://${name?.name ?? host}:${server.port}`,
    apiKey: "key-of-the-tests",
    allowInsecureHttp: true,
    timeouts: timeoutsOf(row, transport, limitMs),
    retry: once && { mayRenderTwice: cell.mayRenderTwice },
    hooks: {
      retry: () => {
        retries += 1;
        // The fault ends: the host name resolves, or the port opens.
        name?.becomesKnown();
        if (scene.refused) restarted ??= FaultServer.start({ document: whole, port: server.port, host });
      },
    },
    ...carriedBy[transport],
  });
  try {
    if (scene.warm) await client.generate("warm", {}).bytes();
    if (scene.hungUp) {
      server.hangUp();
      await server.until(({ openSockets }) => openSockets === 0);
    }
    const requestsBefore = server.requests.length;
    const times = once && secondTry !== "in vain" ? { times: 1 } : {};
    if ((fault as ScriptedFault).script(whole).length > 0) server.fail(fault, times);
    const values = scene.largeRequest ? { note: "x".repeat(3_000_000) } : { total: "1,000" };
    const pending = client.generate("inv_2024", values);
    let attempts: number;
    let outcome: string;
    try {
      const reading = readAt(cell.stage, pending, (from) => read(cell.method, from, folder?.path));
      const bytes = (await within(longestWaitMs, reading)) ? await reading : undefined;
      attempts = 1 + retries;
      outcome = describeBytes(bytes, document);
    } catch (error) {
      attempts = error instanceof TemplatePdfError ? error.attempts : Number.NaN;
      outcome = describeError(error);
    }
    server = (await restarted) ?? server;
    const requests = server.requests.length - (restarted ? 0 : requestsBefore);
    if (scene.again) await generateNext(client, server);
    await within(5_000, client.close());
    const released = server.until((server) => isReleased(server, cell));
    const isFree = await within(5_000, released);
    return {
      outcome,
      attempts,
      files: folder ? await readdir(folder.path) : [],
      isOverasked: requests > attempts * (transport === "fetch" ? row.requestsByFetch : 1),
      isBusy: !isFree,
    };
  } finally {
    server = (await restarted) ?? server;
    if (!scene.refused || restarted) await server.close();
    folder?.remove();
  }
}

/** Whether nothing is in flight. `fetch` keeps idle connections, which belong to the runtime. */
function isReleased({ playing, openSockets }: FaultServer, { row, transport }: Cell): boolean {
  if (transport === "undici") return openSockets === 0;
  return playing === 0 || row.scene.lingersByFetch === true;
}

/** An address at which no other program takes a released port. Only Linux has several. */
function unsharedAddress(): string {
  const number = () => 1 + ((crypto.getRandomValues(new Uint8Array(1))[0] ?? 0) % 254);
  return process.platform === "linux" ? `127.${number()}.${number()}.${number()}` : "127.0.0.1";
}

const carriedBy = Object.fromEntries(transports) as Record<Transport, ClientOptions>;

function timeoutsOf({ scene, ...row }: Row, transport: Transport, limitMs: number) {
  const phase = /^TimeoutError \((.+)\)$/.exec(row[transport])?.[1];
  const all = { connect: long, firstByte: long, stall: long, unread: long, total: long };
  return { ...all, ...(phase && { [phase]: limitMs }), ...scene.timeouts };
}

async function read(method: string, from: PendingPdf | GeneratedPdf, folder?: string): Promise<Uint8Array> {
  if (folder !== undefined) {
    const path = join(folder, "saved.pdf");
    await from.saveTo(path);
    return readFile(path);
  }
  const reader = outputMethods.find(([name]) => name === method)?.[1];
  if (!reader) throw new Error(`There is no output method ${method}.`);
  return reader(from);
}

/** Checks that the next call receives its own document, and no bytes of this one. */
async function generateNext(client: TemplatePdf, server: FaultServer): Promise<void> {
  server.reset();
  const next = await client.generate("next", {}).bytes();
  if (Buffer.compare(next, whole) !== 0) throw new Error("The next call received data of this one.");
}

function describeBytes(bytes: Uint8Array | undefined, document: Uint8Array): string {
  if (bytes === undefined) return noOutcome;
  return Buffer.compare(bytes, document) === 0 ? "whole" : `${bytes.length} other bytes`;
}

function describeError(error: unknown): string {
  if (error instanceof TimeoutError) return `TimeoutError (${error.phase})`;
  if (error instanceof ApiError) return `${error.name} ${error.status}`;
  return error instanceof TemplatePdfError ? error.name : `no error of ours: ${error}`;
}

/** Whether a promise resolves in time. Rejects if the promise does. */
async function within(limitMs: number, what: Promise<unknown>): Promise<boolean> {
  const late = new AbortController();
  const timeout = setTimeout(limitMs, false, { signal: late.signal }).catch(() => false);
  try {
    return await Promise.race([what.then(() => true), timeout]);
  } finally {
    late.abort();
  }
}
