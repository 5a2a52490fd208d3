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
  #group: Group | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #lastWriteMs = 0;
  #failure: { readonly error: unknown } | undefined;

  /** @param write - makes lines durable, or rejects */
  constructor(write: (lines: string) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when the line is written, and rejects when it could not be. */
  add(line: string): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure.error);
    this.#group ??= new Group();
    const { written, count } = this.#group.add(line);
    if (this.#writing === undefined) {
      if (count >= maxLines) this.#flush();
      else this.#timer ??= setTimeout(() => this.#flush(), this.#delayMs());
    }
    return written;
  }

  /** Writes at once what is collected, and takes no more lines. */
  async end(error: unknown): Promise<void> {
    while (this.#writing || this.#group) await (this.#writing ?? this.#flush());
    this.#failure ??= { error };
  }

  #delayMs(): number {
    return Math.min(maxDelayMs, restFactor * this.#lastWriteMs);
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const group = this.#group ?? new Group();
    this.#group = undefined;
    const startedAt = performance.now();
    this.#writing = this.#write(group.lines).then(
      () => {
        this.#lastWriteMs = performance.now() - startedAt;
        this.#writing = undefined;
        group.resolve();
        this.#goOn();
      },
      (error: unknown) => {
        this.#writing = undefined;
        this.#failure = { error };
        group.reject(error);
        this.#group?.reject(error);
        this.#group = undefined;
      },
    );
    return this.#writing;
  }

  /** What came while a group was being written is the next. */
  #goOn(): void {
    if (!this.#group) return;
    if (this.#group.count >= maxLines) this.#flush();
    else this.#timer = setTimeout(() => this.#flush(), this.#delayMs());
  }
}

/** Lines that are written together, and the one promise of all who wait for them. */
class Group {
  lines = "";
  count = 0;
  resolve!: () => void;
  reject!: (error: unknown) => void;
  readonly written = new Promise<void>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  add(line: string): this {
    this.lines += line;
    this.count++;
    return this;
  }
}
