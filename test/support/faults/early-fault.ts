import type { Fault, ScriptedFault } from "../../../src/service/faults/fault-script.ts";

/** The moment at which a server begins to go wrong, before a whole request has come. */
export type EarlyMoment =
  /** As soon as a connection is there, before anything was read from it. */
  | "connection"
  /** When the head of a request has come; its body may still be under way. */
  | "head";

/** A fault that does not wait for a request. */
export interface EarlyFault extends ScriptedFault {
  readonly at: EarlyMoment;
}

/** Makes a fault that happens early. */
export function earlyFault(name: string, script: ScriptedFault["script"], at: EarlyMoment): EarlyFault {
  return Object.freeze({ kind: "fault", name, script, documentBytes: 0, at });
}

/** Tells when a fault happens: most do when a whole request has come. */
export function momentOf(fault: Fault | EarlyFault): EarlyMoment | "request" {
  return "at" in fault ? fault.at : "request";
}
