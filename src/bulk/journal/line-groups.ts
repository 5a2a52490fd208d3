/** The number of lines at which a group is written immediately. */
const maxLines = 1024;
const maxDelayMs = 20;
/** The pause after a group, as a multiple of the time that writing it took. On a fast disk, lines wait only briefly. */
const restFactor = 4;

/**
 * Collects lines for a short time and writes them together, with one sync.
 *
 * After a failed write, it accepts no more lines.
 */
export class LineGroups {
  readonly #write: (lines: string) => Promise<void>;
  #lines = "";
  #count = 0;
  /** The current group, and the previous one. */
  #group: Promise<void> | undefined;
  #groupBefore: Promise<void> | undefined;
  /** Stops collecting. */
  #wake = () => {};
  #isEnding = false;
  #lastWriteMs = 0;
  #failure: { readonly error: unknown } | undefined;

  /** @param write - makes lines durable or rejects */
  constructor(write: (lines: string) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when the line is written. Rejects if writing fails. */
  add(line: string): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure.error);
    this.#lines += line;
    this.#count += 1;
    if (this.#count >= maxLines) this.#wake();
    this.#group ??= this.#writeGroup();
    return this.#group;
  }

  /** Writes the collected lines immediately, and accepts no more. */
  async end(error: unknown): Promise<void> {
    this.#isEnding = true;
    this.#wake();
    await (this.#group ?? this.#groupBefore)?.catch(() => {});
    this.#failure ??= { error };
  }

  async #writeGroup(): Promise<void> {
    await this.#groupBefore?.catch(() => {});
    await this.#collect();
    const lines = this.#lines;
    this.#groupBefore = this.#group;
    this.#group = undefined;
    this.#lines = "";
    this.#count = 0;
    if (this.#failure) throw this.#failure.error;
    const startedAt = performance.now();
    try {
      await this.#write(lines);
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
    this.#lastWriteMs = performance.now() - startedAt;
  }

  #collect(): Promise<void> | undefined {
    if (this.#count >= maxLines || this.#isEnding || this.#failure) return undefined;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(maxDelayMs, restFactor * this.#lastWriteMs));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
