/** The maximum number of queued events for a page that does not read them. */
const maxWaiting = 1_000;

/** Sends server-sent events to every open page. @see https://html.spec.whatwg.org/multipage/server-sent-events.html */
export class EventStream {
  readonly #readers = new Set<ReadableStreamDefaultController<Uint8Array>>();
  readonly #onFirst: () => void;
  readonly #onNone: () => void;

  /** @param onFirst - called when the first page connects; `onNone` is called when the last page disconnects */
  constructor(onFirst: () => void, onNone: () => void) {
    this.#onFirst = onFirst;
    this.#onNone = onNone;
  }

  /** Whether a page receives the events. */
  get isOpen(): boolean {
    return this.#readers.size > 0;
  }

  open(): Response {
    let reader: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        reader = controller;
        if (this.#readers.size === 0) this.#onFirst();
        this.#readers.add(controller);
        controller.enqueue(encode(": open\n\n"));
      },
      cancel: () => this.#remove(reader),
    });
    return new Response(body, {
      headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
    });
  }

  send(event: string, data: unknown): void {
    for (const reader of this.#readers) {
      // The page does not read its events. It reloads the whole state when it reconnects.
      if ((reader.desiredSize ?? 0) < -maxWaiting) {
        reader.close();
        this.#remove(reader);
        continue;
      }
      reader.enqueue(encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
    }
  }

  #remove(reader: ReadableStreamDefaultController<Uint8Array>): void {
    this.#readers.delete(reader);
    if (this.#readers.size === 0) this.#onNone();
  }

  close(): void {
    for (const reader of this.#readers) reader.close();
    this.#readers.clear();
    this.#onNone();
  }
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
