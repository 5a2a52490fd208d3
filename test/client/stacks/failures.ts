import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { cutOffAfter, inChunks, pdfOf, type Received, Service, saying } from "../../support/service.ts";

/** How a client is made and what it is asked for, for a call that fails; plain data, because programs read it, too. */
export interface Failure {
  readonly options: { readonly baseUrl: string; readonly timeouts?: Readonly<Record<string, number>> };
  readonly uid: string;
  readonly values: object;
  /** The name of the error. */
  readonly name: string;
}

const document = pdfOf(100_000);

/** Sends half of a document, and nothing more. */
function stall({ response }: Received): void {
  response.writeHead(200, { "content-type": "application/pdf", "content-length": document.length });
  response.write(document.subarray(0, document.length / 2));
}

const answers: Readonly<Record<string, (received: Received) => unknown>> = {
  missing: saying(404, "There is no such template."),
  silent: () => {},
  page: saying(200, "<!doctype html><title>Log in</title>"),
  truncated: cutOffAfter(document, 50_000),
  "never-ending": stall,
};

/** Starts what fails, until the test has finished. */
export async function startFailures() {
  const service = await Service.start((received) => {
    const uid = received.path.split("/").at(-2) ?? "";
    return (answers[uid] ?? inChunks(document))(received);
  });
  const options = { baseUrl: service.baseUrl };
  const brief = (limits: Record<string, number>) => ({ ...options, timeouts: limits });
  /** Failures before the document begins. */
  const early: Record<string, Failure> = {
    "a 404": { options, uid: "missing", values: {}, name: "NotFoundError" },
    "a refused connection": {
      options: { baseUrl: await unusedOrigin() },
      uid: "any",
      values: {},
      name: "ConnectionError",
    },
    "a timeout": { options: brief({ firstByte: 10 }), uid: "silent", values: {}, name: "TimeoutError" },
    "an answer that is not a PDF": { options, uid: "page", values: {}, name: "InvalidPdfError" },
    "values that cannot be sent": { options, uid: "any", values: [], name: "ValuesError" },
  };
  /** Failures within the document. */
  const late: Record<string, Failure> = {
    "a truncated document": { options, uid: "truncated", values: {}, name: "TruncatedPdfError" },
    "a document that stops arriving": {
      options: brief({ stall: 10 }),
      uid: "never-ending",
      values: {},
      name: "TimeoutError",
    },
  };
  return { service, early, late };
}

/** An origin that refuses connections. */
async function unusedOrigin(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
