import type { Call } from "../reporting.ts";

/** One request as the list shows it. */
export interface LoggedCall extends Call {
  readonly id: number;
  /** When it was answered, in ISO 8601. */
  readonly time: string;
  /** Why its document could not be made. */
  readonly error: string | undefined;
}

/** One request, whole. */
export interface LoggedRequest extends LoggedCall {
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The values that it sent; `undefined` if it was refused before they were read, or they are too long to be kept. */
  readonly values: object | undefined;
}

/** How many requests are kept. */
export const maxRequests = 100;

/** So that 100 requests cannot fill the memory. Characters of JSON. */
const maxValuesLength = 262_144;

/** Headers that hold secrets; they are shown as hidden. */
const secret = /authorization|cookie|key|token|secret/i;

/** The last requests that reached the emulator, in memory only. */
export class RequestLog {
  readonly #requests: LoggedRequest[] = [];
  readonly #values = new WeakMap<Request, object>();
  readonly #errors = new WeakMap<Request, string>();
  readonly #onRequest: (call: LoggedCall) => void;
  #count = 0;

  constructor(onRequest: (call: LoggedCall) => void) {
    this.#onRequest = onRequest;
  }

  /** The latest first. */
  get calls(): readonly LoggedCall[] {
    return this.#requests.map(summaryOf).reverse();
  }

  find(id: number): LoggedRequest | undefined {
    return this.#requests.find((request) => request.id === id);
  }

  noteValues(request: Request, values: object): void {
    this.#values.set(request, values);
  }

  noteError(request: Request, error: unknown): void {
    this.#errors.set(request, error instanceof Error ? error.message : String(error));
  }

  add(call: Call, request: Request): void {
    this.#count += 1;
    const values = this.#values.get(request);
    const isShort = values !== undefined && JSON.stringify(values).length <= maxValuesLength;
    const logged: LoggedRequest = {
      ...call,
      id: this.#count,
      time: new Date().toISOString(),
      error: this.#errors.get(request),
      headers: [...request.headers].map(([name, value]) => [name, secret.test(name) ? "(hidden)" : value]),
      values: isShort ? values : undefined,
    };
    this.#requests.push(logged);
    if (this.#requests.length > maxRequests) this.#requests.shift();
    this.#onRequest(summaryOf(logged));
  }
}

function summaryOf({ headers: _headers, values: _values, ...call }: LoggedRequest): LoggedCall {
  return call;
}
