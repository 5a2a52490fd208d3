/** A group is written when it has so many lines, however short a while it was collected. */
const maxLines = 1024;
const maxDelayMs = 20;
/** The disk is left alone four times as long as the last group took it: a line waits little where the disk is quick. */
const restFactor = 4;

/**
 * Collects lines for a short while, and writes them together: one sync for all of them.
 *
 * After a group that could not be written it takes no more lines.
 */
export class LineGroups {
  readonly #write: (lines: string) => Promise<void>;
  #lines = "";
  #count = 0;
  /** The group that is collected, and the one before it. */
  #group: Promise<void> | undefined;
  #groupBefore: Promise<void> | undefined;
  /** Ends the collecting. */
  #wake = () => {};
  #isEnding = false;
  #lastWriteMs = 0;
  #failure: { readonly error: unknown } | undefined;

  /** @param write - makes lines durable, or rejects */
  constructor(write: (lines: string) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when the line is written, and rejects when it could not be. */
  add(line: string): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure.error);
    this.#lines += line;
    this.#count += 1;
    if (this.#count >= maxLines) this.#wake();
    this.#group ??= this.#writeGroup();
    return this.#group;
  }

  /** Writes at once what is collected, and takes no more lines. */
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
