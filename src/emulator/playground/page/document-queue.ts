import type { DocumentFacts, Input } from "./document-state.ts";
import type { PdfDocument, Refusal } from "./server.ts";

type Render = (input: Input, id: number, signal: AbortSignal) => Promise<PdfDocument | Refusal>;
type OnFacts = (uid: string, facts: DocumentFacts) => void;

/** The longest delay between a keystroke and its rendering. */
const longestDelayMs = 300;

/** How long newer values wait for a document in flight, which shows that something happens while the user types. */
const patienceMs = 400;

interface Current {
  readonly input: Input;
  readonly leaving: AbortController;
  readonly startedMs: number;
}

/**
 * Renders the documents of the current values, one at a time. Values that are replaced while they wait are not rendered.
 *
 * The delay after a keystroke follows the time of the last document: a fast template is rendered with every keystroke, and a slow one
 * when the user pauses.
 */
export class DocumentQueue {
  readonly #render: Render;
  readonly #onFacts: OnFacts;
  #wanted: Input | undefined;
  #current: Current | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastMs = 0;

  /** @param onFacts - receives what has changed about the documents of a template */
  constructor(render: Render, onFacts: OnFacts) {
    this.#render = render;
    this.#onFacts = onFacts;
  }

  /**
   * Renders an input, unless it is rendered already.
   *
   * @param input - `undefined` if the values are invalid
   * @param isTyped - whether more keystrokes may follow
   */
  want(input: Input | undefined, isTyped: boolean): void {
    if (input?.key === this.#wanted?.key && input?.uid === this.#wanted?.uid) return;
    if (input?.uid !== this.#wanted?.uid) this.#lastMs = 0;
    this.#wanted = input;
    clearTimeout(this.#timer);
    if (input === undefined) return;
    this.#timer = setTimeout(() => this.#begin(), isTyped ? Math.min(this.#lastMs / 2, longestDelayMs) : 0);
  }

  #begin(): void {
    const input = this.#wanted;
    if (input === undefined) return;
    const last = this.#current;
    const restMs = last?.input.uid === input.uid ? last.startedMs + patienceMs - performance.now() : 0;
    if (last && restMs > 0) {
      this.#timer = setTimeout(() => this.#begin(), restMs);
      return;
    }
    last?.leaving.abort();
    void this.#run(input);
  }

  async #run(input: Input): Promise<void> {
    const { uid, key } = input;
    const current: Current = { input, leaving: new AbortController(), startedMs: performance.now() };
    this.#current = current;
    // Other tabs receive the events of this id, too.
    const id = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
    this.#onFacts(uid, { request: { key, id, sinceMs: current.startedMs, hasBegun: false } });
    try {
      const result = await this.#render(input, id, current.leaving.signal);
      if (this.#current !== current) return;
      this.#current = undefined;
      this.#lastMs = performance.now() - current.startedMs;
      if ("bytes" in result) this.#onFacts(uid, { document: { key, document: result }, refusal: undefined });
      else this.#onFacts(uid, { refusal: { key, refusal: result } });
    } catch {
      // A newer document has replaced this one.
      return;
    }
    // Values that have waited for this document.
    if (this.#wanted?.uid !== uid || this.#wanted.key === key) return;
    clearTimeout(this.#timer);
    this.#begin();
  }
}
