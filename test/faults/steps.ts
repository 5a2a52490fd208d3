import type { ScriptedFault, Step } from "../../src/service/faults/faults.ts";

export type Script = ScriptedFault["script"];

export const write = (bytes: Uint8Array | string): Step => ({ do: "write", bytes });
export const end: Step = { do: "end" };
export const reset: Step = { do: "reset" };
export const stall: Step = { do: "stall" };

/** These lines unchanged, and an empty line after them. */
export const lines = (...all: readonly string[]): Step => write([...all, "", ""].join("\r\n"));

/** The headers of a document that ends with the connection. */
export const untilClose: Step = lines("HTTP/1.0 200 OK");

export const chunkedHeaders = (headers: Readonly<Record<string, string>> = {}): Step => ({
  do: "head",
  status: 200,
  headers: { "transfer-encoding": "chunked", ...headers },
});

export const lastChunk: Step = write("0\r\n\r\n");

/** Bytes in chunks of one size, without the empty last chunk. Each chunk has the extension, if any. */
export function chunks(bytes: Uint8Array, size: number, extension = ""): Step {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    parts.push(Buffer.from(`${part.length.toString(16)}${extension}\r\n`), part, Buffer.from("\r\n"));
  }
  return write(Buffer.concat(parts));
}

/** Bytes in pieces, with a delay between two pieces. */
export function drip(bytes: Uint8Array, pieceBytes: number, everyMs: number): Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    steps.push({ do: "wait", ms: everyMs }, write(bytes.subarray(at, at + pieceBytes)));
  }
  return steps.slice(1);
}

export const half = (document: Uint8Array) => document.subarray(0, document.length >> 1);
