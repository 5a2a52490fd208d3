/** A socket, as far as it is used here. */
export interface EndingSocket {
  on(event: "end", listener: () => void): unknown;
}

/** Undici's reader of answers, as far as it is used here. */
interface Parser {
  paused: boolean;
  readonly ptr: number;
  readonly llhttp: { llhttp_resume(pointer: number): void };
  resume(): void;
}

/**
 * Undici 7 ends the process where a connection ends while its answer is paused: by an assertion in a listener of the
 * socket, where nobody can catch it (nodejs/undici#5360, mended in undici 8). This listener comes before that one,
 * because the socket is still connecting. Everything was read by then: what resumes is the end, and no byte more.
 */
export function wakeParserAtEnd(socket: EndingSocket): void {
  socket.on("end", () => {
    const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === "parser");
    const parser = key && (socket as unknown as Record<symbol, Parser | null>)[key];
    if (!parser?.paused) return;
    // A body of known length ends by this; one that ends with its connection pauses once more.
    parser.resume();
    if (!parser.paused || parser.ptr === null) return;
    parser.llhttp.llhttp_resume(parser.ptr);
    parser.paused = false;
  });
}
