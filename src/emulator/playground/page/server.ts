import type { LoggedCall, LoggedRequest } from "../request-log.ts";
import type { TemplateState } from "../template-states.ts";

/** The rules of the emulator. */
export interface Misbehaviour {
  readonly faults: readonly string[];
  readonly latency: string;
}

/** What the emulator says of itself. */
export interface ServerState {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly templates: readonly TemplateState[];
  /** The latest first. */
  readonly requests: readonly LoggedCall[];
  readonly misbehaviour: Misbehaviour;
  readonly hasPdfJs: boolean;
}

/** Why there is no document. */
export interface Refusal {
  /** 0 if there was no answer. */
  readonly status: number;
  readonly detail: string;
  /** What is wrong with the values, by path. */
  readonly errors: readonly { readonly path: string; readonly detail: string }[];
  readonly requestId: string | undefined;
}

/** A whole document. */
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
  /** Whether the emulator is there. */
  readonly connected: (isConnected: boolean) => void;
};

/** Reports what happens in the emulator. @returns ends that */
export function listen(listeners: Listeners): () => void {
  const source = new EventSource("/_playground/events");
  for (const event of ["request", "templates", "misbehaviour", "saved"] as const) {
    source.addEventListener(event, ({ data }) => listeners[event](JSON.parse(data)));
  }
  source.addEventListener("open", () => listeners.connected(true));
  source.addEventListener("error", () => listeners.connected(false));
  return () => source.close();
}

export const readState = () => read<ServerState>("state");
export const readRequest = (id: number) => read<LoggedRequest>(`requests/${id}`);

export async function readTypes(uid: string): Promise<string> {
  const response = await fetch(`/_playground/types/${encodeURIComponent(uid)}`);
  return response.ok ? response.text() : detailOf(await response.text());
}

/** @throws {Error} that says what is wrong with a rule */
export async function changeMisbehaviour(settings: Misbehaviour): Promise<void> {
  const response = await fetch("/_playground/misbehaviour", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(settings),
  });
  if (!response.ok) throw new Error(detailOf(await response.text()));
}

async function read<T>(path: string): Promise<T> {
  const response = await fetch(`/_playground/${path}`);
  if (!response.ok) throw new Error(detailOf(await response.text()));
  return response.json();
}

/** Calls the service as any program does. @throws the reason of `signal` */
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
      const pages = text.match(/\/Type \/Page\b(?!s)/g)?.length ?? 0;
      return { bytes, pages, durationMs: performance.now() - startedAt, requestId };
    }
    if (response.ok) {
      const detail = `The answer is not a PDF. Its content type is ${headers.get("content-type")}.`;
      return { status, detail, errors: [], requestId };
    }
    const problem = parse(new TextDecoder().decode(bytes)) as Partial<Refusal>;
    return { status, detail: problem.detail ?? "", errors: problem.errors ?? [], requestId };
  } catch (error) {
    signal.throwIfAborted();
    const detail =
      requestId === undefined
        ? "No answer came: the connection was closed."
        : "The connection was closed before the document was whole.";
    return { status: 0, detail: `${detail} (${(error as Error).message})`, errors: [], requestId };
  }
}

function detailOf(text: string): string {
  return String((parse(text) as { detail?: string }).detail ?? text);
}

function parse(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    return {};
  }
}
