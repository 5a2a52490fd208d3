import type { Group } from "../row.ts";
import { cutOffs, noPdfs, stalls } from "./bodies.ts";
import { answering, connecting, keepingAlive } from "./connections.ts";
import { errorBodies, heads, interim, statuses, waits } from "./heads.ts";
import { codings, odd, padded } from "./whole.ts";

/** All faults, in the order of the table. */
export const groups: readonly Group[] = [
  connecting,
  answering,
  heads,
  interim,
  statuses,
  waits,
  errorBodies,
  noPdfs,
  stalls,
  cutOffs,
  odd,
  padded,
  codings,
  keepingAlive,
];
