import { Body } from "../../src/body.ts";
import type { Exchange } from "../../src/transport/types.ts";

/** The wire below a body, and the call above it: both keep their side of the contract and note what they hear. */
export class Wire implements Exchange {
  readonly body: Body;
  readonly sent: Uint8Array[] = [];
  paused = false;
  aborted = false;
  over = false;
  watched = false;
  /** What comes as soon as the body lets the wire go on, in the same moment. */
  backlog: (() => void)[] = [];

  constructor() {
    const cancel = (reason: unknown) => {
      this.abort();
      this.body.fail(reason);
    };
    this.body = new Body(this, {
      onRead: () => (this.watched = true),
      onFlow: () => {},
      onRest: () => (this.watched = false),
      cancel,
    });
  }

  chunk(size: number): void {
    const chunk = new Uint8Array(size).fill(this.sent.length % 251);
    this.#tell(() => {
      this.sent.push(chunk);
      this.body.write(chunk);
    });
  }

  /** Ends at once where no chunk is outstanding: a pause stops chunks only. */
  end(): void {
    const end = () => this.#last(() => this.body.end());
    if (this.backlog.length > 0) this.backlog.push(end);
    else this.#tell(end, false);
  }

  /** Breaks at once, paused or not. */
  fail(error: unknown): void {
    if (!this.aborted && !this.over) this.#last(() => this.body.fail(error));
  }

  send(): void {}
  pause(): void {
    if (this.paused) throw new Error("Paused twice.");
    if (this.over) throw new Error("Paused after the last event.");
    this.paused = true;
  }
  resume(): void {
    if (!this.paused) throw new Error("Resumed without a pause.");
    this.paused = false;
    while (!this.paused && !this.aborted && !this.over) {
      const next = this.backlog.shift();
      if (!next) return;
      next();
    }
  }
  abort(): void {
    this.aborted = true;
  }

  #tell(event: () => void, mayWait = true): void {
    if (this.aborted || this.over) return;
    if (this.paused && mayWait) this.backlog.push(event);
    else event();
  }
  #last(event: () => void): void {
    this.over = true;
    event();
  }
}
