/** A request as it went out. */
export interface SeenRequest {
  readonly method: string;
  /** What stands behind the base URL, percent-encoded. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

/** An answer as it came in. */
export interface SeenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Reads an answer to its end. */
export async function seenAnswer(response: Response): Promise<SeenAnswer> {
  return { status: response.status, headers: response.headers, body: await response.text() };
}

/** The media type of a message, without its parameters. */
export function mediaTypeOf(headers: Headers): string {
  return (headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}
