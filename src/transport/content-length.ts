import type { ResponseHead } from "./types.ts";

/** The length that an answer promises (RFC 9110, 8.6); `undefined` where it promises none for the decoded bytes. */
export function contentLengthOf(head: ResponseHead): number | undefined {
  return head.decoded === false ? lengthIn(head) : undefined;
}

/** The length that an answer will have as far as one can see: it may be that of encoded bytes. */
export function expectedLengthOf(head: ResponseHead): number | undefined {
  return head.decoded ? undefined : lengthIn(head);
}

function lengthIn(head: ResponseHead): number | undefined {
  const text = head.header("content-length");
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
