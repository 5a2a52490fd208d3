import { decide, inSeconds, repeatAfter } from "../../../src/call/retry-policy.ts";
import { resolveRetry } from "../../../src/options/retry.ts";
import { constantOf } from "../constant-of.ts";
import { inWords, tableOf } from "../markdown.ts";

/** More attempts than the delay grows over. */
const attempts = Array.from({ length: 9 }, (_, index) => index + 1);

/** A table of the retry rules, computed by the retry policy. */
export default function retry(): string {
  const statuses = Array.from({ length: 500 }, (_, at) => at + 100).filter(
    (status) => repeatAfter(status) !== "never",
  );
  const longest = attempts.map((attempt) => longestDelayMs(attempt));
  const steps = longest.filter((delay, index) => index === 0 || delay > (longest[index - 1] ?? 0));
  return tableOf(
    ["rule", "default"],
    [
      ["retries", `up to ${resolveRetry().limit} (\`retry.limit\`)`],
      ["statuses", inWords(statuses)],
      [
        "delay",
        `random, up to ${inSeconds(longest[0] ?? 0)} before the second attempt, then up to ${inWords(steps.slice(1).map(inSeconds))}`,
      ],
      [
        "delay with `Retry-After`",
        `the requested delay; if it is longer than ${inSeconds(constantOf("src/call/retry-policy.ts", "longestDelayMs"))}, the call rejects immediately with \`retryAfterMs\``,
      ],
      ["delay beyond `timeouts.total`", "the call rejects immediately"],
    ],
  );
}

/** The longest delay after an attempt. */
function longestDelayMs(attempt: number): number {
  const policy = { limit: Number.POSITIVE_INFINITY, mayRenderTwice: true };
  const decision = decide({ repeat: "safe" }, attempt, policy, Number.POSITIVE_INFINITY, () => 1);
  return "delayMs" in decision ? decision.delayMs : 0;
}
