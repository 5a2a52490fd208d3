import { inSeconds } from "../../../src/call/retry-policy.ts";
import type { TimeoutPhase } from "../../../src/errors/errors.ts";
import { resolveTimeouts } from "../../../src/options/timeouts.ts";
import { constantOf } from "../constant-of.ts";
import { tableOf } from "../markdown.ts";

/** What starts a limit, and what ends it. */
const spans: Readonly<Record<TimeoutPhase, readonly [begins: string, ends: string, again: string]>> = {
  connect: ["the request waits for a connection", "the request leaves", "yes: nothing was sent"],
  firstByte: ["the request has left", "the first byte of the document", "yes"],
  stall: [
    "every byte of the document, while somebody reads",
    "the next byte, or the end; stops while the reader is slower than the service",
    "yes, for whole forms",
  ],
  unread: [
    "the awaited document, or the stream, is there",
    "a form is asked for; of a stream, the first read",
    "no",
  ],
  total: [
    "the call starts, at the end of the turn in which `generate()` was called",
    "the whole document is in memory, or its file has its name; the stream is returned, unless you set `total` or the call runs in a handler",
    "no",
  ],
};

/** A table of the limits: how long they are, from where to where they count, and what follows. */
export default function limits(): string {
  const timeouts = resolveTimeouts();
  const rows = (Object.keys(timeouts) as TimeoutPhase[]).map((phase) => {
    const [begins, ends, again] = spans[phase];
    return [`\`${phase}\``, timeouts[phase].toLocaleString("en"), begins, ends, again];
  });
  const errorBody = inSeconds(constantOf("src/call/attempt.ts", "longestErrorBodyMs"));
  return `${tableOf(["of `timeouts`", "default, ms", "begins when", "ends with", "tried again"], rows)}

An answer that is an error has ${errorBody}, or \`stall\` where that is shorter, for its body: then it is told as far as it came. A limit
that is reached may be noticed a few milliseconds late; never early.`;
}
