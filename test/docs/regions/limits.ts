import { inSeconds } from "../../../src/call/retry-policy.ts";
import type { TimeoutPhase } from "../../../src/errors/errors.ts";
import { resolveTimeouts } from "../../../src/options/timeouts.ts";
import { constantOf } from "../constant-of.ts";
import { tableOf } from "../markdown.ts";

/** When each timeout starts and ends, and whether the call is then retried. */
const spans: Readonly<Record<TimeoutPhase, readonly [starts: string, ends: string, retried: string]>> = {
  connect: ["the client opens a connection", "the request is sent", "yes"],
  firstByte: ["the request is sent", "the first byte of the document arrives", "yes"],
  stall: [
    "a byte of the document arrives",
    "the next byte or the end arrives; paused while the reader is slower than the service",
    "yes, unless streamed",
  ],
  unread: [
    "you receive a `GeneratedPdf` or a stream",
    "you call an output method, or read the stream for the first time",
    "no",
  ],
  total: [
    "the call starts, just after `generate()` returns",
    "the document is in memory or saved, or you receive the stream",
    "no",
  ],
};

/** A table of the timeouts, with their defaults. */
export default function limits(): string {
  const timeouts = resolveTimeouts();
  const rows = (Object.keys(timeouts) as TimeoutPhase[]).map((phase) => {
    const [starts, ends, retried] = spans[phase];
    return [`\`${phase}\``, timeouts[phase].toLocaleString("en"), starts, ends, retried];
  });
  const errorBody = inSeconds(constantOf("src/call/attempt.ts", "longestErrorBodyMs"));
  return `${tableOf(["property", "default, ms", "starts when", "ends when", "retried"], rows)}

The body of an error response must arrive within ${errorBody}, or within \`stall\` if that is shorter. The error then contains the part that arrived.`;
}
