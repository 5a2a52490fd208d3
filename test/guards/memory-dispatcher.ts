import { pdfOf } from "../../bench/shared/pdf-of.mjs";

/** A handler of undici 7, as far as it is used here. */
interface Handler {
  onRequestStart(controller: object): void;
  onResponseStart(controller: object, status: number, headers: Readonly<Record<string, string>>): void;
  onResponseData(controller: object, chunk: Uint8Array): void;
  onResponseEnd(controller: object): void;
}

/** The document that every request is answered with. */
export const pdf = pdfOf(2_000);

const controller = { pause() {}, resume() {}, abort() {} };
const headers = {
  "content-type": "application/pdf",
  "content-length": String(pdf.length),
  "x-request-id": "guarded",
};

/**
 * Answers from memory, at the end of the turn: no socket, no timer, no promise and next to no memory of its own, so
 * that whatever is counted is the client's.
 */
export class MemoryDispatcher {
  readonly #answers: boolean;
  /** A connection keeps its requests, and these what the client keeps for them. */
  readonly #unanswered: Handler[] = [];

  /** @param answers - `false` leaves every request without an answer */
  constructor({ answers }: { readonly answers: boolean }) {
    this.#answers = answers;
  }

  dispatch(_options: object, handler: Handler): boolean {
    handler.onRequestStart(controller);
    // No promise: those are counted.
    if (this.#answers) queueMicrotask(() => answer(handler));
    else this.#unanswered.push(handler);
    return true;
  }
}

function answer(handler: Handler): void {
  handler.onResponseStart(controller, 200, headers);
  handler.onResponseData(controller, pdf);
  handler.onResponseEnd(controller);
}
