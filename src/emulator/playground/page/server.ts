import { countPages } from "../count-pages.ts";
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
}

type Listeners = {
  readonly request: (call: LoggedCall) => void;
  readonly templates: (templates: readonly TemplateState[]) => void;
  readonly misbehaviour: (settings: Misbehaviour) => void;
  readonly saved: () => void;
  /** Reports whether the emulator is reachable. */
  readonly connected: (isConnected: boolean) => void;
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
    try {
      const { body } = await ask("events", { signal });
      listeners.connected(true);
      let text = "";
      for await (const chunk of chunksOf(body as ReadableStream<Uint8Array<ArrayBuffer>>)) {
        const events = (text + chunk).split("\n\n");
        text = events.pop() ?? "";
        for (const event of events) {
          const [, name, data = ""] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
          if (name) listeners[name as "request"](JSON.parse(data));
        }
      }
    } catch {
      // The page reports a lost connection.
    }
    if (signal.aborted) return;
    listeners.connected(false);
    setTimeout(connect, reconnectMs);
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

/** Calls the service as an application does. @throws the abort reason of `signal` */
export async function generate(
  { apiKey }: Pick<ServerState, "apiKey">,
  uid: string,
  values: unknown,
  signal: AbortSignal,
): Promise<PdfDocument | Refusal> {
  const startedAt = performance.now();
  let requestId: string | undefined;
  try {
    const response = await fetch(`/api/v1/templates/${encodeURIComponent(uid)}/generate-sync`, {
      method: "POST",
      headers: { authorization: `API-Key ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(values),
      signal,
    });
    const { status, headers } = response;
    requestId = headers.get("x-request-id") ?? undefined;
    const bytes = new Uint8Array(await response.arrayBuffer());
    const text = new TextDecoder("latin1").decode(bytes);
    if (response.ok && text.startsWith("%PDF-")) {
      return { bytes, pages: countPages(text), durationMs: performance.now() - startedAt, requestId };
    }
    if (response.ok) {
      const detail = `The response is not a PDF. Its content type is ${headers.get("content-type")}.`;
      return { status, detail, errors: [], requestId };
    }
    const problem = parse(new TextDecoder().decode(bytes)) as Partial<Refusal>;
    return { status, detail: problem.detail ?? "", errors: problem.errors ?? [], requestId };
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
