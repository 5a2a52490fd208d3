import { type Fault, fault } from "../../src/service/faults/faults.ts";
import { earlyFault } from "../support/faults/fault-server.ts";
import type { Script } from "./steps.ts";

/** The result of an output method: the complete document byte for byte, or an error. */
export type Gets = "whole" | `${string}Error` | `${string}Error ${number}` | `TimeoutError (${string})`;

/**
 * The result of a retry if the fault happens once:
 * - `heals`: the complete document, with every output method
 * - `heals before hand-over`: the complete document, but only from methods of the pending result that return
 *   it as a whole. A caller with a stream or an awaited document has received a part of the first document.
 * - `not tried`: a retry would fail again, or might do harm
 * - `in vain`: the fault remains after every retry
 * - `unseen`: `fetch` itself retries, and the first attempt succeeds
 * - `not needed`: the first attempt succeeds
 */
export type SecondTry =
  | "heals"
  | "heals before hand-over"
  | "not tried"
  | "in vain"
  | "unseen"
  | "not needed";

/** The circumstances of a call, in addition to its fault. */
interface Scene {
  /** The base URL begins with `https://`. */
  readonly https?: boolean;
  /** The server uses TLS, with an untrusted certificate. */
  readonly certificate?: "self-signed" | "expired";
  /** The port is closed until an attempt has failed. */
  readonly refused?: boolean;
  /** The host name is unknown, or its lookup never ends, until an attempt has failed. */
  readonly name?: "unknown" | "silent";
  /** A document was generated on the same connection before. */
  readonly warm?: boolean;
  /** The server has closed the connection since then. */
  readonly hungUp?: boolean;
  /** The next call of the client must also succeed. */
  readonly again?: boolean;
  /** The request is 3 MB long. */
  readonly largeRequest?: boolean;
  /** The expected bytes. Default: the document. */
  readonly whole?: (document: Uint8Array) => Uint8Array;
  /** `fetch` keeps the connection for a while after an abort. */
  readonly lingersByFetch?: boolean;
  /** The row takes so much CPU time that nothing else can be timed at the same time. */
  readonly heavy?: boolean;
  /** Limits in milliseconds, in addition to the one that the row reaches. */
  readonly timeouts?: Readonly<Record<string, number>>;
}

export type Transport = "undici" | "fetch";

/** The transports of this test run. */
export const transports: readonly Transport[] =
  process.env["TEMPLATE_PDF_BUILD"] === "browser" ? ["fetch"] : ["undici", "fetch"];

/** A fault and its expected results. */
export interface Row {
  readonly fault: Fault;
  readonly undici: Gets;
  readonly fetch: Gets;
  /** The result with `fetch` on the page, which may come from another version of Node. */
  readonly fetchOnPage: Gets;
  readonly secondTry: SecondTry;
  readonly secondTryByFetch: SecondTry;
  /** The transports that know for certain that the request was not sent. */
  readonly unsent: readonly Transport[];
  /** A note for the table, for example why the transports differ. */
  readonly note: string | undefined;
  /** The number of requests that one `fetch` sends. */
  readonly requestsByFetch: number;
  readonly scene: Scene;
}

/** Rows that belong together. */
export interface Group {
  readonly title: string;
  readonly rows: readonly Row[];
}

interface RowOptions extends Scene, Partial<Omit<Row, "fault" | "undici" | "scene">> {
  /** The result with undici, if it differs from that of the group. */
  readonly gets?: Gets;
  /** The fault happens before the request has arrived: immediately, or at its headers. */
  readonly at?: "connection" | "headers";
}

/** A published fault, or the name and script of another one, and its options. */
type Entry = readonly [name: string, script: Script, options?: RowOptions] | readonly [Fault, RowOptions?];

/** Creates a group of rows that get `gets` and `secondTry`, unless an entry has its own. */
export function group(title: string, gets: Gets, secondTry: SecondTry, entries: readonly Entry[]): Group {
  return { title, rows: entries.map((entry) => rowOf(gets, secondTry, entry)) };
}

function rowOf(groupGets: Gets, groupSecondTry: SecondTry, entry: Entry): Row {
  const options = (typeof entry[0] === "string" ? entry[2] : entry[1]) as RowOptions | undefined;
  const { at, gets: undici = groupGets, secondTry = groupSecondTry, ...others } = options ?? {};
  const { fetch = undici, secondTryByFetch = secondTry, unsent = [], note, ...rest } = others;
  const { fetchOnPage = fetch, requestsByFetch = 1, ...scene } = rest;
  const faultOf = (name: string, script: Script) => (at ? earlyFault(name, at, script) : fault(name, script));
  return {
    fault: typeof entry[0] === "string" ? faultOf(entry[0], entry[1] as Script) : entry[0],
    ...{ undici, fetch, fetchOnPage, secondTry, secondTryByFetch, unsent, note, requestsByFetch, scene },
  };
}
