/// <reference lib="esnext.disposable" preserve="true" />

/** A fake service that listens on a socket. */
export interface ListeningService {
  /** Where it answers, such as `http://127.0.0.1:49152`: the client's `baseUrl`. */
  readonly baseUrl: string;
  /** Stops listening, and cuts every connection off. A second call gives the same promise. */
  close(): Promise<void>;
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
