import {
  beginning,
  cutOffAfter,
  inChunks,
  pdfOf,
  type Received,
  Service,
  saying,
} from "../../support/service.ts";
import { closedOrigin } from "../../support/sockets.ts";

/** The client options and arguments of a call that fails. Plain data, because other programs also read it. */
export interface Failure {
  readonly options: { readonly baseUrl: string; readonly timeouts?: Readonly<Record<string, number>> };
  readonly uid: string;
  readonly values: object;
  /** The name of the error. */
  readonly name: string;
}

const document = pdfOf(100_000);

const answers: Readonly<Record<string, (received: Received) => unknown>> = {
  missing: saying(404, "There is no such template."),
  silent: () => {},
  page: saying(200, "<!doctype html><title>Log in</title>"),
  truncated: cutOffAfter(document, 50_000),
  "never-ending": beginning(document.subarray(0, 50_000), { "content-length": String(document.length) }),
};

/** Starts a service that causes failures, until the test has finished. */
export async function startFailures() {
  const service = await Service.start((received) => {
    const uid = received.path.split("/").at(-2) ?? "";
    return (answers[uid] ?? inChunks(document))(received);
  });
  const failing = (uid: string, name: string, more: object = {}, values: object = {}): Failure => ({
    options: { baseUrl: service.baseUrl, ...more },
    uid,
    values,
    name,
  });
  /** Failures before the document begins. */
  const early: Record<string, Failure> = {
    "a 404": failing("missing", "NotFoundError"),
    "a refused connection": failing("any", "ConnectionError", { baseUrl: await closedOrigin() }),
    "a timeout": failing("silent", "TimeoutError", { timeouts: { firstByte: 10 } }),
    "a response that is not a PDF": failing("page", "InvalidPdfError"),
    "values that cannot be sent": failing("any", "ValuesError", {}, []),
  };
  /** Failures after the document has begun. */
  const late: Record<string, Failure> = {
    "a truncated document": failing("truncated", "TruncatedPdfError"),
    "a document that stops arriving": failing("never-ending", "TimeoutError", { timeouts: { stall: 10 } }),
  };
  return { early, late };
}
