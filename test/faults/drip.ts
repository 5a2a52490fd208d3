import type { Step } from "../../src/service/faults/fault-script.ts";

/** Sends bytes in pieces, one every so often. */
export function drip(bytes: Uint8Array, pieceBytes: number, everyMs: number): Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    steps.push({ do: "wait", ms: everyMs }, { do: "write", bytes: bytes.subarray(at, at + pieceBytes) });
  }
  return steps.slice(1);
}
