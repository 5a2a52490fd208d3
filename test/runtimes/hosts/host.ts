/** A server that carries the handler, and how it differs from the others. */
export interface Host {
  readonly title: string;
  /** Below what it serves. */
  readonly mount: string;
  /** Whether the handler gets every path, because there is no router before it. */
  readonly servesEveryPath: boolean;
  /** Whether `content-length` reaches the caller. */
  readonly tellsLength: boolean;
  /** Whether it breaks an answer off whose length it has not told; else it ends that as if it were whole. */
  readonly breaksOff: boolean;
  /** Whether it takes the rest of a body that nobody wants; else it may reset the connection behind its answer. */
  readonly takesRest: boolean;
  /** By what it knows that a caller has left before anything was sent to that. */
  readonly seesLeavingBy: "closing" | "resetting";
  /** What it adds to every answer. */
  readonly ownHeaders: readonly string[];
}
