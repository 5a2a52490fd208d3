/** Something that goes wrong on purpose, made by one of `faults`. */
export interface Fault {
  /** So that nothing else that has a name is taken for a fault. */
  readonly kind: "fault";
  /** What happens, in the words of somebody who watches it. */
  readonly name: string;
}

/** One thing that a server does to an answer. */
export type Step =
  /** Sends the status line and the headers of an answer. */
  | { readonly do: "head"; readonly status: number; readonly headers: Readonly<Record<string, string>> }
  /** Sends bytes as they are; text stands for Latin-1. */
  | { readonly do: "write"; readonly bytes: Uint8Array | string }
  /** Does nothing for a while. */
  | { readonly do: "wait"; readonly ms: number }
  /** Does nothing more, for as long as the client stays. */
  | { readonly do: "stall" }
  /** Says that nothing more will come (FIN), and goes on reading. */
  | { readonly do: "end" }
  /** Breaks the connection (RST). */
  | { readonly do: "reset" };

/** A fault, with what happens. */
export interface ScriptedFault extends Fault {
  /** The least size of the document in which it happens, in bytes. */
  readonly documentBytes: number;
  /** What the server does instead of sending the document, in order. */
  readonly script: (document: Uint8Array) => readonly Step[];
}

/** Makes a fault. */
export function fault(name: string, script: ScriptedFault["script"], documentBytes = 0): ScriptedFault {
  return Object.freeze({ kind: "fault", name, script, documentBytes });
}

/** The head of the answer that carries a document. */
export function pdfHead(length: number, headers: Readonly<Record<string, string>> = {}): Step {
  return {
    do: "head",
    status: 200,
    headers: { "content-type": "application/pdf", "content-length": String(length), ...headers },
  };
}

/** A whole answer with a body and its length. */
export function answer(
  status: number,
  body: Uint8Array | string,
  headers: Readonly<Record<string, string>> = {},
): readonly Step[] {
  return [
    { do: "head", status, headers: { "content-length": String(body.length), ...headers } },
    { do: "write", bytes: body },
  ];
}

/** A refusal, as problem details. */
export function refusal(status: number, detail: string, retryAfter?: number | string): ScriptedFault {
  const body = JSON.stringify({ title: "A fault on purpose", status, detail });
  const headers = { "content-type": "application/problem+json", "cache-control": "no-store" };
  const wait = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  return fault(`an answer with ${status}`, () => answer(status, body, { ...headers, ...wait }));
}

/** The page that a proxy sends instead of a document, with status 200. */
export function loginPage(text: string): ScriptedFault {
  const page = `<!doctype html><title>Sign in</title><h1>Sign in</h1><p>${text}</p>`;
  return fault("an HTML page instead of the document", () =>
    answer(200, page, { "content-type": "text/html", "cache-control": "no-store" }),
  );
}

/** The connection ends after some bytes of the document. Default: half of them. */
export function cutOff(afterBytes?: number): ScriptedFault {
  return partWay("the connection ends in the middle of the document", afterBytes, { do: "end" });
}

/** The document stops after some of its bytes, and the connection stays. Default: half of them. */
export function stall(afterBytes?: number): ScriptedFault {
  return partWay("the document stops in the middle, and the connection stays", afterBytes, { do: "stall" });
}

/** The document comes in so many pieces, one every so often. */
export function slow(pieces: number, everyMs: number): ScriptedFault {
  const script = (document: Uint8Array) => {
    const startOf = (piece: number) => Math.floor((piece * document.length) / pieces);
    const steps = Array.from({ length: pieces }, (_, piece): Step[] => [
      { do: "wait", ms: everyMs },
      { do: "write", bytes: document.subarray(startOf(piece), startOf(piece + 1)) },
    ]);
    return [pdfHead(document.length), ...steps.flat().slice(1)];
  };
  return fault("the document comes slowly, but steadily", script, pieces);
}

/** The connection breaks after some bytes of the document. Default: instead of an answer. */
export function reset(afterBytes?: number): ScriptedFault {
  if (afterBytes === undefined) {
    return fault("the connection is reset instead of an answer", () => [{ do: "reset" }]);
  }
  return partWay(
    "the connection is reset in the middle of the document",
    afterBytes,
    // Read by then: together with bytes, libuv tells a client of a reset as of an ordinary end.
    { do: "wait", ms: 20 },
    { do: "reset" },
  );
}

function partWay(name: string, afterBytes: number | undefined, ...then: readonly Step[]): ScriptedFault {
  return fault(
    name,
    (document) => [
      pdfHead(document.length),
      { do: "write", bytes: document.subarray(0, afterBytes ?? document.length >> 1) },
      ...then,
    ],
    2 * (afterBytes ?? 0),
  );
}
