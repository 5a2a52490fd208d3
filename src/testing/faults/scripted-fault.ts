import type { Fault } from "./fault.ts";

/** One thing that a server does to an answer. */
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

/** A fault, with what happens. */
export interface ScriptedFault extends Fault {
  /** How long the document has to be at least, in bytes, so that it happens at all. */
  readonly documentBytes: number;
  /**
   * What the server does instead of sending the document, in order. Where that neither ends nor breaks the
   * connection, the next request on it is served.
   */
  readonly script: (document: Uint8Array) => readonly Step[];
}

/** Gives what a fault is inside: all that there are were made here. */
export function scriptedFault(fault: Fault): ScriptedFault {
  return fault as ScriptedFault;
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

/** A whole answer with a body whose length is told. */
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
