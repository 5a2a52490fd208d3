// @ts-check
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** Collects all garbage at once. Compiled code is thrown away, too: what is timed has to come before. */
export const collectGarbage = /** @type {() => void} */ (runInNewContext("gc"));
