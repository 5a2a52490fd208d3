import { Body, type BodyEvents, type BodySource, type Sink } from "../../src/call/body.ts";

/** The connection of a body. It receives the body's events, and records them. */
export class Wire implements BodySource, BodyEvents {
  readonly body = new Body(this, this);
  readonly sent: Uint8Array[] = [];
  paused = false;
  aborted = false;
  over = false;
  /** Whether an output waits for more of the document. */
  watched = false;
  isWhole = false;
  /** Whether bytes may flow, for each time this was set. */
  readonly flows: boolean[] = [];
  /** The events that arrive synchronously when the body resumes the connection. */
  backlog: (() => void)[] = [];

  chunk(size: number): void {
    const chunk = new Uint8Array(size).fill(this.sent.length % 251);
    this.#tell(() => {
      this.sent.push(chunk);
      this.body.write(chunk);
    });
  }

  /** Ends at once if no chunk is pending, because a pause stops only chunks. */
  end(): void {
    const end = () => this.endAtOnce();
    if (this.backlog.length > 0) this.backlog.push(end);
    else this.#tell(end, false);
  }

  /** Ends at once, even if paused. */
  endAtOnce(): void {
    this.over = true;
    this.body.end();
  }

  /** Fails at once, even if paused. */
  fail(error: unknown): void {
    if (this.aborted || this.over) return;
    this.over = true;
    this.watched = false;
    this.body.fail(error);
  }

  onRead(): void {
    this.watched = true;
  }
  onPaused(): void {
    this.flows.push(false);
    if (this.paused) throw new Error("Paused twice.");
    if (this.over) throw new Error("Paused after the last event.");
    this.paused = true;
  }
  onResumed(): void {
    this.flows.push(true);
    if (!this.paused) throw new Error("Resumed without a pause.");
    this.paused = false;
    while (!this.paused && !this.aborted && !this.over) {
      const next = this.backlog.shift();
      if (!next) return;
      next();
    }
  }
  onWhole(): void {
    this.isWhole = true;
    this.watched = false;
  }
  onCancelled(reason: unknown): void {
    if (this.isWhole) return;
    this.aborted = true;
    this.watched = false;
    this.body.fail(reason);
  }

  #tell(event: () => void, mayWait = true): void {
    if (this.aborted || this.over) return;
    if (this.paused && mayWait) this.backlog.push(event);
    else event();
  }
}

/** What a reader may return for a chunk. A reader that can accept more may resume before it returns. */
export type Answer = "more" | "wait" | "resume, then wait";

/** A reader that responds as scripted and records its calls. */
export class Reader implements Sink {
  readonly isStream = false;
  readonly chunks: Uint8Array[] = [];
  readonly last: string[] = [];
  waiting = false;
  readonly #body: Body;
  readonly #script: Answer[];
  constructor(body: Body, script: readonly Answer[] = []) {
    this.#body = body;
    this.#script = [...script];
  }
  write(chunk: Uint8Array): boolean {
    if (this.last.length > 0) throw new Error("Written to after its last event.");
    this.chunks.push(chunk);
    const answer = this.#script.shift() ?? "more";
    if (answer === "resume, then wait") this.#body.resume();
    this.waiting = answer === "wait";
    return answer === "more";
  }
  end(): void {
    this.last.push("end");
  }
  fail(error: unknown): void {
    this.last.push(`fail: ${error}`);
  }
}

export const bytesIn = (chunks: readonly Uint8Array[]) => chunks.reduce((sum, { length }) => sum + length, 0);

/** A body with its connection and a reader that accepts everything. */
export function open(script: Answer[] = []): { wire: Wire; body: Body; reader: Reader } {
  const wire = new Wire();
  return { wire, body: wire.body, reader: new Reader(wire.body, script) };
}
