/** One thing that a server does to a connection. */
export type Step =
  /** Sends the status line and the headers of an answer. */
  | { readonly do: "head"; readonly status: number; readonly headers: Readonly<Record<string, string>> }
  /** Sends bytes as they are; text stands for Latin-1. */
  | { readonly do: "write"; readonly bytes: Uint8Array | string }
  /** Sends bytes in pieces, one every so often. */
  | {
      readonly do: "drip";
      readonly bytes: Uint8Array;
      readonly pieceBytes: number;
      readonly everyMs: number;
    }
  /** Does nothing for a while. */
  | { readonly do: "wait"; readonly ms: number }
  /** Does nothing more, for as long as the client stays. */
  | { readonly do: "stall" }
  /** Says that nothing more will come (FIN), and goes on reading. */
  | { readonly do: "end" }
  /** Breaks the connection (RST). */
  | { readonly do: "reset" };

/** The moment at which a server begins to go wrong. */
export type Moment =
  /** As soon as a connection is there, before anything was read from it. */
  | "connection"
  /** When the head of a request has come; its body may still be under way. */
  | "head"
  /** When a whole request has come. */
  | "request";

/** Something that goes wrong on purpose: a plain value, for a server to play. */
export interface Fault {
  /** What happens, in the words of somebody who watches it. */
  readonly name: string;
  readonly at: Moment;
  /**
   * What the server does instead of sending the document, in order. Where that neither ends nor breaks the
   * connection, the next request on it is served.
   */
  readonly script: (document: Uint8Array) => readonly Step[];
}

/** Makes a fault. */
export function fault(name: string, script: Fault["script"], at: Moment = "request"): Fault {
  return Object.freeze({ name, at, script });
}

/** The head of the answer that carries a document. */
export function pdfHead(length: number, headers: Readonly<Record<string, string>> = {}): Step {
  return {
    do: "head",
    status: 200,
    headers: { "content-type": "application/pdf", "content-length": String(length), ...headers },
  };
}

/** A whole answer with a body whose length is told. */
export function answer(
  status: number,
  body: Uint8Array | string,
  headers: Readonly<Record<string, string>> = {},
): readonly Step[] {
  const length = typeof body === "string" ? Buffer.byteLength(body, "latin1") : body.length;
  return [
    { do: "head", status, headers: { "content-length": String(length), ...headers } },
    { do: "write", bytes: body },
  ];
}
