// @ts-check

/**
 * How a gate ended. A gate that could not be asked has not passed, and stops nobody.
 *
 * @typedef {{ readonly kind: "passed" | "failed" | "not asked" | "left out", readonly told?: string, readonly printed?: string }} Verdict
 */

/** @type {(told?: string) => Verdict} */
export const passed = (told) => ({ kind: "passed", ...(told !== undefined && { told }) });

/**
 * @param {string} why - what is wrong
 * @param {string} todo - what to do about it
 * @param {string} [printed] - what a command printed that failed
 * @returns {Verdict}
 */
export const failed = (why, todo, printed = "") => ({
  kind: "failed",
  told: `${why}. ${todo}`,
  ...(printed.trim() !== "" && { printed: printed.trim() }),
});

/** @type {(why: string) => Verdict} */
export const notAsked = (why) => ({ kind: "not asked", told: why });

/** @type {(flag: string) => Verdict} */
export const leftOut = (flag) => ({ kind: "left out", told: flag });

/** @type {(title: string, verdict: Verdict) => string} */
export function lineOf(title, { kind, told }) {
  const words = {
    passed: "passed",
    failed: "FAILED",
    "not asked": "could not be asked",
    "left out": "left out",
  };
  return `release: ${title}: ${words[kind]}${told === undefined ? "" : `: ${told}`}`;
}

/**
 * @param {readonly { readonly title: string, readonly verdict: Verdict }[]} gates
 * @returns {string} such as `9 gates passed, 0 failed, 1 could not be asked`
 */
export function lastLine(gates) {
  const of = (/** @type {Verdict["kind"]} */ kind) => gates.filter(({ verdict }) => verdict.kind === kind);
  const out = of("left out").map(({ title, verdict }) => `${title} (${verdict.told})`);
  const counts = `${of("passed").length} gates passed, ${of("failed").length} failed, ${of("not asked").length} could not be asked`;
  return out.length === 0 ? counts : `${counts}; left out: ${out.join(", ")}`;
}
