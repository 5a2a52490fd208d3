import { Redactor } from "../errors/redact.ts";
import type { ResolvedOptions } from "../options/client-options.ts";
import type { Advice } from "../request/advice.ts";
import { credentialsIn } from "../request/headers.ts";
import type { WireRequest } from "../transport/transport.ts";

/** One request of a call, and what error messages about it may contain. */
export class SentRequest implements WireRequest {
  readonly origin: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly json: string;
  readonly uid: string;
  /** The number of requests of the call so far. */
  readonly attempts: number;
  readonly #options: Pick<ResolvedOptions, "endpoint" | "advice">;
  readonly #authorization: string | undefined;
  /** The last request with another key. */
  readonly #earlier: SentRequest | undefined;
  #redactor: Redactor | undefined;

  /**
   * @param parts - the parts of the request
   * @param authorization - the API key among the headers, or a custom `authorization` header
   * @param previous - the previous request of the call
   */
  constructor(
    parts: Pick<WireRequest, "path" | "headers" | "json"> & Pick<SentRequest, "uid" | "attempts">,
    options: Pick<ResolvedOptions, "endpoint" | "advice">,
    authorization: string | undefined,
    previous?: SentRequest,
  ) {
    this.origin = options.endpoint.origin;
    this.path = parts.path;
    this.headers = parts.headers;
    this.json = parts.json;
    this.uid = parts.uid;
    this.attempts = parts.attempts;
    this.#options = options;
    this.#authorization = authorization;
    const isSame = previous && previous.#authorization === authorization;
    this.#earlier = isSame ? previous.#earlier : previous;
  }

  /** The path prefix of `baseUrl`. */
  get basePath(): string {
    return this.#options.endpoint.basePath;
  }

  get advice(): Advice | undefined {
    return this.#options.advice;
  }

  /** Removes the keys and the values of the call from other strings. Created on demand, because most calls succeed. */
  get redactor(): Redactor {
    this.#redactor ??= new Redactor(
      this.#authorization === undefined ? [] : credentialsIn(this.#authorization),
      this.json,
      this.#earlier?.redactor,
    );
    return this.#redactor;
  }
}
