/** A response without its body. */
export interface ResponseHead {
  readonly status: number;
  /** Returns a header's value; several of one name are joined with `, `. */
  header(name: string): string | undefined;
  toHeaders(): Headers;
  /**
   * Whether the bytes were decoded on the way, so that `content-length` does not describe them; `undefined` if that cannot be
   * seen.
   */
  readonly decoded: boolean | undefined;
  /** The content coding that the transport does not decode. */
  readonly undecoded: string | undefined;
  /** A redirect that a browser hides: no status, no headers, no body. */
  readonly opaqueRedirect: boolean;
}

/** Returns the length that a response promises (RFC 9110, 8.6); `undefined` if it promises none for the decoded bytes. */
export function contentLengthOf(head: ResponseHead): number | undefined {
  return head.decoded === false ? lengthIn(head) : undefined;
}

/** Returns the length that a response probably has. It may be that of encoded bytes. */
export function expectedLengthOf(head: ResponseHead): number | undefined {
  return head.decoded ? undefined : lengthIn(head);
}

/** Returns the id under which the service's operators find the call. */
export function requestIdOf(head: ResponseHead): string | undefined {
  return head.header("x-request-id") ?? head.header("request-id");
}

function lengthIn(head: ResponseHead): number | undefined {
  const text = head.header("content-length");
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
