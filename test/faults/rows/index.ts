import type { Group } from "../row.ts";
import { cutOffs, noPdfs, stalls } from "./bodies.ts";
import { answering, connecting, keepingAlive } from "./connections.ts";
import { errorBodies, headers, interim, retryAfter, statuses } from "./headers.ts";
import { codings, odd, padded } from "./whole.ts";

/** All faults, in the order of the table. */
export const groups: readonly Group[] = [
  connecting,
  answering,
  headers,
  interim,
  statuses,
  retryAfter,
  errorBodies,
  noPdfs,
  stalls,
  cutOffs,
  odd,
  padded,
  codings,
  keepingAlive,
];
