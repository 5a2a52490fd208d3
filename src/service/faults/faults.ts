/** An intentional failure, created by one of `faults`. */
export interface Fault {
  /** Distinguishes faults from other objects with a name. */
  readonly kind: "fault";
  /** A description of the fault. */
  readonly name: string;
}

/** One step of a response. */
export type Step =
  /** Sends the status line and the headers of a response. */
  | { readonly do: "head"; readonly status: number; readonly headers: Readonly<Record<string, string>> }
  /** Sends bytes unchanged. Strings are Latin-1. */
  | { readonly do: "write"; readonly bytes: Uint8Array | string }
  /** Waits. */
  | { readonly do: "wait"; readonly ms: number }
  /** Stalls until the client disconnects. */
  | { readonly do: "stall" }
  /** Ends the sending side (FIN), and continues to read. */
  | { readonly do: "end" }
  /** Resets the connection (RST). */
  | { readonly do: "reset" };

/** A fault with its script. */
export interface ScriptedFault extends Fault {
  /** The minimum size of the document in bytes. */
  readonly documentBytes: number;
  /** The steps that replace the document. */
  readonly script: (document: Uint8Array) => readonly Step[];
}

/** Creates a fault. */
export function fault(name: string, script: ScriptedFault["script"], documentBytes = 0): ScriptedFault {
  return Object.freeze({ kind: "fault", name, script, documentBytes });
}

/** The headers of a response with a document. */
export function pdfHead(length: number, headers: Readonly<Record<string, string>> = {}): Step {
  return {
    do: "head",
    status: 200,
    headers: { "content-type": "application/pdf", "content-length": String(length), ...headers },
  };
}

/** A complete response with a body and its length. */
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

/** A refusal with problem details. */
export function refusal(status: number, detail: string, retryAfter?: number | string): ScriptedFault {
  const body = JSON.stringify({ title: "A simulated fault", status, detail });
  const headers = { "content-type": "application/problem+json", "cache-control": "no-store" };
  const wait = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  return fault(`a response with ${status}`, () => answer(status, body, { ...headers, ...wait }));
}

/** A page that a proxy sends instead of a document, with status 200. */
export function loginPage(text: string): ScriptedFault {
  const page = `<!doctype html><title>Sign in</title><h1>Sign in</h1><p>${text}</p>`;
  return fault("an HTML page instead of the document", () =>
    answer(200, page, { "content-type": "text/html", "cache-control": "no-store" }),
  );
}

/** A document that a proxy decoded as UTF-8 text, and encoded again. */
export function decodedAsText(): ScriptedFault {
  return fault("a document that was decoded as text on its way", (document) =>
    answer(200, new TextEncoder().encode(new TextDecoder().decode(document)), {
      "content-type": "application/pdf",
    }),
  );
}

/** The connection ends after some bytes of the document. Default: half of the document. */
export function cutOff(afterBytes?: number): ScriptedFault {
  return partWay("the connection ends in the middle of the document", afterBytes, { do: "end" });
}

/** The document stalls after some bytes, and the connection stays open. Default: half of the document. */
export function stall(afterBytes?: number): ScriptedFault {
  return partWay("the document stalls in the middle, and the connection stays open", afterBytes, {
    do: "stall",
  });
}

/** The document arrives in pieces, at intervals. */
export function slow(pieces: number, everyMs: number): ScriptedFault {
  const script = (document: Uint8Array) => {
    const startOf = (piece: number) => Math.floor((piece * document.length) / pieces);
    const steps = Array.from({ length: pieces }, (_, piece): Step[] => [
      { do: "wait", ms: everyMs },
      { do: "write", bytes: document.subarray(startOf(piece), startOf(piece + 1)) },
    ]);
    return [pdfHead(document.length), ...steps.flat().slice(1)];
  };
  return fault("the document arrives slowly but steadily", script, pieces);
}

/** The connection is reset after some bytes of the document. By default, the connection is reset before any response is sent. */
export function reset(afterBytes?: number): ScriptedFault {
  if (afterBytes === undefined) {
    return fault("the connection is reset before a response", () => [{ do: "reset" }]);
  }
  return partWay(
    "the connection is reset in the middle of the document",
    afterBytes,
    // Delayed until the bytes are read, because libuv reports a reset together with bytes as a normal end.
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
