/** A request as it arrived on the connection. */
export interface SeenRequest {
  /** The request line and header lines, decoded as Latin-1. */
  readonly lines: readonly string[];
  /** `POST /api/… HTTP/1.1`. */
  readonly line: string;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

type RequestWithoutBody = Omit<SeenRequest, "body">;

/** Callbacks for the requests of one connection. */
interface RequestEvents {
  onHeaders(request: RequestWithoutBody): void;
  onRequest(request: RequestWithoutBody, body: Buffer): void;
}

/** Parses requests only as far as needed to find where each ends: the headers, and a body with a declared length. */
export class RequestReader {
  readonly #events: RequestEvents;
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** The headers of the request whose body is arriving, and where that body ends. */
  #open:
    | { readonly request: RequestWithoutBody; readonly bodyAt: number; readonly endAt: number }
    | undefined;

  constructor(events: RequestEvents) {
    this.#events = events;
  }

  push(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    for (;;) {
      if (this.#open === undefined && !this.#readHeaders()) return;
      if (this.#open === undefined || this.#bytes < this.#open.endAt) return;
      const { request, bodyAt, endAt } = this.#open;
      const all = this.#joined();
      this.#open = undefined;
      this.#pieces = [all.subarray(endAt)];
      this.#bytes = all.length - endAt;
      this.#events.onRequest(request, all.subarray(bodyAt, endAt));
    }
  }

  #readHeaders(): boolean {
    const all = this.#joined();
    const end = all.indexOf("\r\n\r\n");
    if (end === -1) return false;
    const lines = all.subarray(0, end).toString("latin1").split("\r\n");
    const [line = "", ...rest] = lines;
    const headers = Object.fromEntries(
      rest.map((text) => {
        const colon = text.indexOf(":");
        return [text.slice(0, colon).toLowerCase(), text.slice(colon + 1).trim()];
      }),
    );
    const request = { lines, line, headers };
    this.#open = { request, bodyAt: end + 4, endAt: end + 4 + Number(headers["content-length"] ?? 0) };
    this.#events.onHeaders(request);
    return true;
  }

  #joined(): Buffer {
    const all = Buffer.concat(this.#pieces);
    this.#pieces = [all];
    return all;
  }
}
