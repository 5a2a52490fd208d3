import { decide, inSeconds, repeatAfter } from "../../../src/call/retry-policy.ts";
import { resolveRetry } from "../../../src/options/retry.ts";
import { constantOf } from "../constant-of.ts";
import { inWords, tableOf } from "../markdown.ts";

/** More tries than any wait grows over. */
const manyTries = Array.from({ length: 9 }, (_, index) => index + 1);

/** A table of when a call is tried again, by asking what decides it. */
export default function retry(): string {
  const statuses = Array.from({ length: 500 }, (_, at) => at + 100).filter(
    (status) => repeatAfter(status) !== "never",
  );
  const longest = manyTries.map((tries) => longestWaitMs(tries));
  const steps = longest.filter((wait, index) => index === 0 || wait > (longest[index - 1] ?? 0));
  return tableOf(
    ["", ""],
    [
      ["how often", `${resolveRetry().limit} more times at most, unless \`retry.limit\` says otherwise`],
      ["after which status", inWords(statuses)],
      [
        "when",
        `after a random wait: of up to ${inSeconds(longest[0] ?? 0)} before the second attempt, then of up to ${inWords(steps.slice(1).map(inSeconds))}, and no longer before any that follows`,
      ],
      [
        "where the service sends `Retry-After`",
        `after exactly that long, up to ${inSeconds(constantOf("src/call/retry-policy.ts", "longestDelayMs"))}; where it asks for more, the error comes at once, with \`retryAfterMs\``,
      ],
      ["where nothing would be left of `timeouts.total` after the wait", "the error comes at once"],
    ],
  );
}

/** How long the wait after so many tries may be. */
function longestWaitMs(tries: number): number {
  const policy = { limit: Number.POSITIVE_INFINITY, mayRenderTwice: true };
  const decision = decide({ repeat: "safe" }, tries, policy, Number.POSITIVE_INFINITY, () => 1);
  return "delayMs" in decision ? decision.delayMs : 0;
}
