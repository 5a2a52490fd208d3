import type { Group } from "../row.ts";
import { cutOffs, stalls } from "./broken-bodies.ts";
import { answering, connecting, keepingAlive } from "./connecting.ts";
import { heads, interim } from "./heads.ts";
import { noPdfs } from "./no-pdfs.ts";
import { errorBodies, statuses, waits } from "./statuses.ts";
import { codings, odd, padded } from "./whole.ts";

/** Every fault there is, in the order of the table. */
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
