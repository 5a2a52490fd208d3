import { ConfigurationError } from "../errors/errors.ts";
import type { ResolvedCall } from "../options/call-options.ts";
import type { ResolvedOptions } from "../options/client-options.ts";
import { checkPage } from "../request/endpoint.ts";
import type { shareHeaders } from "../request/headers.ts";
import type { TransportPool } from "../transport/transport.ts";

/** Counts the calls of a client and its derived clients. They share connections, which are closed after the last call. */
export class CallsInFlight {
  /** The connections that the calls use. */
  readonly pool: TransportPool;
  #calls = 0;
  #whenIdle: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(pool: TransportPool) {
    this.pool = pool;
  }

  /** Whether no call may begin any more. */
  get areClosed(): boolean {
    return this.#closing !== undefined;
  }

  /** Registers a call. The pool only knows about calls that were sent. */
  enter(): void {
    this.#calls++;
  }

  leave(): void {
    this.#calls--;
    if (this.#calls === 0) this.#whenIdle?.();
  }

  /** Registers work for as long as it takes. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.enter();
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  /** Closes the connections, once the registered calls are over. */
  close(): Promise<void> {
    this.#closing ??= new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
      if (this.#calls === 0) resolve();
    }).then(() => this.pool.close());
    return this.#closing;
  }
}

/** The state that all calls of a client share. */
export interface SharedState {
  readonly options: ResolvedOptions;
  /** The settings of calls without options. */
  readonly settings: ResolvedCall;
  /** Returns the headers of calls without `headers`. */
  readonly sharedHeaders: ReturnType<typeof shareHeaders>;
  readonly calls: CallsInFlight;
  /** Whether this client was closed, though others may still use its connections. */
  isClosed: boolean;
}

/** @throws {ConfigurationError} if the client is closed, or its base URL is relative outside a browser */
export function checkOpen({ options, calls, isClosed }: SharedState): void {
  if (isClosed || calls.areClosed) {
    throw new ConfigurationError("This client is closed. Create another one.");
  }
  checkPage(options.needsPage);
}
