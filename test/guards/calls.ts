import { TemplatePdf } from "template-pdf";
import { pdfOf } from "../../bench/shared/pdf-of.mjs";
import { values } from "../../bench/shared/values.mjs";

/** The parts of a handler of undici 7 that are used here. */
interface Handler {
  onRequestStart(controller: object): void;
  onResponseStart(controller: object, status: number, headers: Readonly<Record<string, string>>): void;
  onResponseData(controller: object, chunk: Uint8Array): void;
  onResponseEnd(controller: object): void;
}

/** The document of every response. */
export const pdf = pdfOf(2_000);

const controller = { pause() {}, resume() {}, abort() {} };
const headers = {
  "content-type": "application/pdf",
  "content-length": String(pdf.length),
  "x-request-id": "guarded",
};

/**
 * Creates a client whose dispatcher responds from memory in a microtask. It uses no sockets, timers or promises and hardly any
 * memory, so that the measurements contain only those of the client.
 *
 * @param isAnswered - whether requests receive a response
 */
export function clientInMemory(isAnswered: boolean): TemplatePdf {
  // Holds references to requests, as a connection does.
  const unanswered: Handler[] = [];
  const answer = (handler: Handler) => {
    handler.onResponseStart(controller, 200, headers);
    handler.onResponseData(controller, pdf);
    handler.onResponseEnd(controller);
  };
  const dispatcher = {
    dispatch(_options: object, handler: Handler) {
      handler.onRequestStart(controller);
      if (isAnswered) queueMicrotask(() => answer(handler));
      else unanswered.push(handler);
      return true;
    },
  };
  return new TemplatePdf({ baseUrl: "https://pdf.example.com", apiKey: "key-of-the-guards", dispatcher });
}

/** Generates one document. */
export function ask(client: TemplatePdf, signal?: AbortSignal): Promise<Uint8Array> {
  return client.generate("invoice", values, signal && { signal }).bytes();
}

/** Generates a number of documents, `inFlight` of them concurrently. */
export async function getMany(
  client: TemplatePdf,
  documents: number,
  inFlight: number,
  signal?: AbortSignal,
): Promise<void> {
  let left = documents;
  const lane = async () => {
    while (left-- > 0) await ask(client, signal);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
}
