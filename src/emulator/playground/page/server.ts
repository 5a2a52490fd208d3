import { countPages } from "../count-pages.ts";
import type { TemplatesEvent } from "../playground.ts";
import type { LoggedCall, LoggedRequest } from "../request-log.ts";
import type { TemplateState } from "../template-states.ts";

/** The fault rules and latency for the emulator. */
export interface Misbehaviour {
  readonly faults: readonly string[];
  readonly latency: string;
}

/** The state of the emulator. */
export interface ServerState {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The path of the template folder. */
  readonly folder: string;
  /** The reason why the folder cannot be read. */
  readonly folderFault?: string | undefined;
  readonly templates: readonly TemplateState[];
  /** Sorted with the latest first. */
  readonly requests: readonly LoggedCall[];
  readonly misbehaviour: Misbehaviour;
  readonly hasPdfJs: boolean;
}

/** The reason for a missing document. */
export interface Refusal {
  /** 0 if there was no response. */
  readonly status: number;
  readonly detail: string;
  /** The errors in the values, by path. */
  readonly errors: readonly { readonly path: string; readonly detail: string }[];
  readonly requestId: string | undefined;
}

/** A complete document. */
export interface PdfDocument {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly pages: number;
  readonly durationMs: number;
  readonly requestId: string | undefined;
  /** A warning, for example about characters that the fonts lack. */
  readonly warning: string | undefined;
}

type Listeners = {
  /** Sorted with the latest first. */
  readonly requests: (calls: readonly LoggedCall[]) => void;
  readonly templates: (event: TemplatesEvent) => void;
  /** Reports that a document is no longer waiting for a thread. */
  readonly rendering: (preview: { readonly id: number }) => void;
  readonly misbehaviour: (settings: Misbehaviour) => void;
  readonly saved: () => void;
  /** Reports that the emulator is reachable, perhaps again. It may be another one. */
  readonly connected: () => Promise<void>;
  readonly lost: () => void;
};

const token = document.querySelector<HTMLMetaElement>("[name=playground-token]")?.content ?? "";

/** The session storage key of the token with which the page was reloaded, which prevents reload loops. */
const refusedToken = "template-pdf refused token";

/** The delay before the page reconnects. */
const reconnectMs = 1_000;

/** Reports events from the emulator and reconnects if the connection is lost. @returns a function to stop */
export function listen(listeners: Listeners): () => void {
  const leaving = new AbortController();
  const { signal } = leaving;
  const connect = async () => {
    let isConnected = false;
    try {
      const { body } = await ask("events", { signal });
      await listeners.connected();
      isConnected = true;
      let text = "";
      for await (const chunk of chunksOf(body as ReadableStream<Uint8Array<ArrayBuffer>>)) {
        const events = (text + chunk).split("\n\n");
        text = events.pop() ?? "";
        for (const event of events) {
          const [, name, data = ""] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
          if (name) listeners[name as "requests"](JSON.parse(data));
        }
      }
    } catch {
      // The page reports a lost connection.
    }
    if (signal.aborted) return;
    // The emulator also disconnects pages that read their events too slowly.
    if (!isConnected) listeners.lost();
    setTimeout(connect, isConnected ? 0 : reconnectMs);
  };
  void connect();
  return () => leaving.abort();
}

// Some browsers do not support async iteration of streams.
async function* chunksOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
}

export const readState = async (): Promise<ServerState> => (await ask("state")).json();
export const readRequest = async (id: number): Promise<LoggedRequest> => (await ask(`requests/${id}`)).json();
export const readTypes = async (uid: string) => (await ask(`types/${encodeURIComponent(uid)}`)).text();

/** Tells the emulator which template is shown, so that its sample is rendered first. */
export async function select(uid: string): Promise<void> {
  await ask(`selected/${encodeURIComponent(uid)}`, { method: "PUT" });
}

/** Creates `invoice.json`. @throws {Error} if it exists, or the folder cannot be written */
export async function createFirstTemplate(): Promise<void> {
  await ask("first-template", { method: "POST" });
}

/** @throws {Error} if a rule is invalid */
export async function changeMisbehaviour(settings: Misbehaviour): Promise<void> {
  const headers = { "content-type": "application/json" };
  await ask("misbehaviour", { method: "PUT", headers, body: JSON.stringify(settings) });
}

/** @throws {Error} if the emulator refuses the request */
async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...init.headers, "x-playground-token": token };
  const response = await fetch(`/_playground/${path}`, { ...init, headers });
  // A restarted emulator has a new token, which the page gets by reloading.
  if (response.status === 403 && sessionStorage.getItem(refusedToken) !== token) {
    sessionStorage.setItem(refusedToken, token);
    location.reload();
  }
  if (response.ok) return response;
  const { detail } = parse(await response.text()) as { readonly detail?: string };
  throw new Error(detail ?? `The emulator responded with ${response.status}.`);
}

/**
 * Generates a document with the endpoint of the service. The token tells the emulator that the page makes the call.
 *
 * @param id - identifies the call in events
 * @throws the abort reason of `signal`
 */
export async function generate(
  apiKey: string,
  uid: string,
  json: string,
  id: number,
  signal: AbortSignal,
): Promise<PdfDocument | Refusal> {
  const startedAt = performance.now();
  let requestId: string | undefined;
  try {
    const response = await fetch(`/api/v1/templates/${encodeURIComponent(uid)}/generate-sync`, {
      method: "POST",
      headers: {
        authorization: `API-Key ${apiKey}`,
        "content-type": "application/json",
        "x-playground-token": token,
        "x-playground-preview": String(id),
      },
      body: json,
      signal,
    });
    const { status, headers } = response;
    requestId = headers.get("x-request-id") ?? undefined;
    const bytes = new Uint8Array(await response.arrayBuffer());
    const text = new TextDecoder("latin1").decode(bytes);
    if (response.ok && text.startsWith("%PDF-")) {
      const warning = decodeURIComponent(headers.get("x-playground-warning") ?? "") || undefined;
      const durationMs = performance.now() - startedAt;
      return { bytes, pages: countPages(text), durationMs, requestId, warning };
    }
    if (response.ok) {
      const detail = `The response is not a PDF. Its content type is ${headers.get("content-type")}.`;
      return { status, detail, errors: [], requestId };
    }
    const problem = parse(new TextDecoder().decode(bytes)) as Partial<Refusal>;
    const detail = problem.detail ?? "The response does not say why.";
    return { status, detail, errors: problem.errors ?? [], requestId };
  } catch (error) {
    signal.throwIfAborted();
    const detail =
      requestId === undefined
        ? "The connection was closed without a response."
        : "The connection was closed before the document was complete.";
    return { status: 0, detail: `${detail} (${(error as Error).message})`, errors: [], requestId };
  }
}

function parse(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    return {};
  }
}
