/** The status and headers of a response. */
export interface ResponseHead {
  readonly status: number;
  /** Returns a header's value; multiple values are joined with `, `. */
  header(name: string): string | undefined;
  toHeaders(): Headers;
  /**
   * Whether the transport decoded the bytes, so that `content-length` does not describe them; `undefined` if unknown.
   */
  readonly decoded: boolean | undefined;
  /** The content coding that the transport does not decode. */
  readonly undecoded: string | undefined;
  /** A redirect that a browser hides: no status, no headers, no body. */
  readonly opaqueRedirect: boolean;
}

/**
 * Returns the declared length of a response (RFC 9110, 8.6), or `undefined` if no length is declared or it
 * does not apply to the decoded bytes.
 */
export function contentLengthOf(head: ResponseHead): number | undefined {
  return head.decoded === false ? lengthIn(head) : undefined;
}

/** Returns the expected length of a response. The length may refer to the encoded (compressed) bytes. */
export function expectedLengthOf(head: ResponseHead): number | undefined {
  return head.decoded ? undefined : lengthIn(head);
}

/** Returns the service's request id. */
export function requestIdOf(head: ResponseHead): string | undefined {
  return head.header("x-request-id") ?? head.header("request-id");
}

function lengthIn(head: ResponseHead): number | undefined {
  const text = head.header("content-length");
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

const noCodings: readonly string[] = [];

/** Returns the codings of a `content-encoding` header in the order in which they were applied (RFC 9110, 8.4). */
export function codingsOf(contentEncoding: string | undefined): readonly string[] {
  if (contentEncoding === undefined) return noCodings;
  const codings = contentEncoding.split(",").map((coding) => coding.trim().toLowerCase());
  return codings.filter((coding) => coding !== "" && coding !== "identity");
}
