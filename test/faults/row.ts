import { type Fault, fault } from "../../src/service/faults/fault-script.ts";
import { earlyFault } from "../support/faults/fault-server.ts";
import type { Script } from "./steps.ts";

/** What a form gives: the whole document byte for byte, or the error of that name. */
export type Gets = "whole" | `${string}Error` | `${string}Error ${number}` | `TimeoutError (${string})`;

/**
 * What a second try brings where the fault happens once:
 * - `heals`: the whole document, in every form
 * - `heals before hand-over`: the whole document in every form that is whole or nothing, asked of the pending
 *   result; who was given a stream, or the document itself, has had a part of the first already
 * - `not tried`: another try would bring the same, or might do harm
 * - `in vain`: what is wrong stays wrong, and every try was made
 * - `unseen`: the fetch itself asked again, and the first try brings it
 * - `not needed`: the first brings it
 */
export type SecondTry =
  | "heals"
  | "heals before hand-over"
  | "not tried"
  | "in vain"
  | "unseen"
  | "not needed";

/** What is out of the ordinary around a call, in addition to its fault. */
interface Scene {
  /** The base URL begins with `https://`. */
  readonly https?: boolean;
  /** The server speaks TLS, with a certificate that nobody vouches for. */
  readonly certificate?: "self-signed" | "expired";
  /** Nobody listens on the port, until a try has failed. */
  readonly refused?: boolean;
  /** The name of the host cannot be found, or the search for it never ends, until a try has failed. */
  readonly name?: "unknown" | "silent";
  /** A document was made on the same connection before. */
  readonly warm?: boolean;
  /** The server has hung up since then. */
  readonly hungUp?: boolean;
  /** The next call on the same client has to bring a whole document, too. */
  readonly again?: boolean;
  /** The request is 3 MB long. */
  readonly largeRequest?: boolean;
  /** What a whole document is here, byte for byte. Default: the document itself. */
  readonly whole?: (document: Uint8Array) => Uint8Array;
  /** A fetch keeps the connection for a while after it was told to give it up. */
  readonly lingersByFetch?: boolean;
  /** It keeps the processor busy for so long that nothing else is to be timed beside it. */
  readonly heavy?: boolean;
  /** Limits in milliseconds beside the one that the row expects to be hit. */
  readonly timeouts?: Readonly<Record<string, number>>;
}

export type Transport = "undici" | "fetch";

/** The ways to carry a request where this test runs. */
export const transports: readonly Transport[] =
  process.env["TEMPLATE_PDF_BUILD"] === "browser" ? ["fetch"] : ["undici", "fetch"];

/** One fault, and what comes of it. */
export interface Row {
  readonly fault: Fault;
  readonly undici: Gets;
  readonly fetch: Gets;
  /** What the page says of `fetch`, which may be another Node's than this one. */
  readonly fetchOnPage: Gets;
  readonly secondTry: SecondTry;
  readonly secondTryByFetch: SecondTry;
  /** The transports that know for certain that the request had not left. */
  readonly unsent: readonly Transport[];
  /** What a reader of the table should know, such as why the two differ. */
  readonly note: string | undefined;
  /** How often a fetch asks by itself; our own code never asks twice without being told. */
  readonly requestsByFetch: number;
  readonly scene: Scene;
}

/** Rows that belong together. */
export interface Group {
  readonly title: string;
  readonly rows: readonly Row[];
}

interface RowOptions extends Scene, Partial<Omit<Row, "fault" | "undici" | "scene">> {
  /** What undici gets, if it is not what the group gets. */
  readonly gets?: Gets;
  /** The fault happens before a whole request has come: at once, or at the headers of the request. */
  readonly at?: "connection" | "head";
}

/** A published fault, or the name and the script of another one; and what is special about it. */
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
