import { describeThrown } from "../../errors/foreign-values.ts";
import type { Call } from "../reporting.ts";

/** A request in the list. */
export interface LoggedCall extends Call {
  readonly id: number;
  /** Whether the page made the call, to show a document. */
  readonly isPreview: boolean;
  /** The time of the response, in ISO 8601. */
  readonly time: string;
  /** The reason why the document could not be rendered. */
  readonly error: string | undefined;
}

/** A request with its headers and values. */
export interface LoggedRequest extends LoggedCall {
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The values of the request; `undefined` if it was refused before they were read, or if they are too long to keep. */
  readonly values: object | undefined;
}

/** The maximum number of requests to keep: as many of applications as of the page, so that typing does not displace others. */
const maxRequests = 100;

/** Returns the latest requests of applications and of the page. @param calls - sorted with the latest first */
export function latestOf<T extends LoggedCall>(calls: readonly T[]): readonly T[] {
  if (calls.length <= maxRequests) return calls;
  const counts = { true: 0, false: 0 };
  return calls.filter(({ isPreview }) => ++counts[`${isPreview}`] <= maxRequests);
}

/** The maximum length of kept values in characters of JSON, which limits the memory for 100 requests. */
const maxValuesLength = 262_144;

/** Headers that contain secrets, which are replaced with `(hidden)`. */
const secret = /authorization|cookie|key|token|secret/i;

/** The latest requests to the emulator, in memory only. */
export class RequestLog {
  /** Sorted with the latest first. */
  #requests: readonly LoggedRequest[] = [];
  readonly #values = new WeakMap<Request, object>();
  readonly #errors = new WeakMap<Request, string>();
  readonly #onRequest: (call: LoggedCall) => void;
  #count = 0;

  constructor(onRequest: (call: LoggedCall) => void) {
    this.#onRequest = onRequest;
  }

  /** Sorted with the latest first. */
  get calls(): readonly LoggedCall[] {
    return this.#requests.map(summaryOf);
  }

  find(id: number): LoggedRequest | undefined {
    return this.#requests.find((request) => request.id === id);
  }

  noteValues(request: Request, values: object): void {
    this.#values.set(request, values);
  }

  noteError(request: Request, error: unknown): void {
    this.#errors.set(request, describeThrown(error));
  }

  add(call: Call, request: Request, isPreview: boolean): void {
    this.#count += 1;
    const values = this.#values.get(request);
    const isShort = values !== undefined && JSON.stringify(values).length <= maxValuesLength;
    const logged: LoggedRequest = {
      ...call,
      id: this.#count,
      isPreview,
      time: new Date().toISOString(),
      error: this.#errors.get(request),
      headers: [...request.headers].map(([name, value]) => [name, secret.test(name) ? "(hidden)" : value]),
      values: isShort ? values : undefined,
    };
    this.#requests = latestOf([logged, ...this.#requests]);
    this.#onRequest(summaryOf(logged));
  }
}

function summaryOf({ headers: _headers, values: _values, ...call }: LoggedRequest): LoggedCall {
  return call;
}
