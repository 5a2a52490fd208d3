// @ts-check
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** Collects all garbage. This also discards compiled code, so measure times before. */
export const collectGarbage = /** @type {() => void} */ (runInNewContext("gc"));
