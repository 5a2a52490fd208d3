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
 * Creates a client whose dispatcher answers from memory at the end of the turn. It uses no socket, timer or promise and
 * hardly any memory, so that what is counted is the client's.
 *
 * @param isAnswered - `false` leaves every request without a response
 */
export function clientInMemory(isAnswered: boolean): TemplatePdf {
  // A connection keeps its requests, and these what the client keeps for them.
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

/** Generates `documents` documents, `inFlight` of them at a time. */
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
