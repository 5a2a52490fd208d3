const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** The bytes of a stream that are still needed, with their line numbers. Positions count from the start of the stream. */
export class ByteWindow {
  #memory = Buffer.allocUnsafeSlow(0);
  /** Where in the memory the bytes begin and end. */
  #from = 0;
  #to = 0;
  /** The place of the first byte. */
  #start = 0;
  /** The place up to which lines were counted. */
  #counted = 0;
  #line = 1;
  #column = 1;

  /** The place behind the last byte. */
  get end(): number {
    return this.#start + this.#to - this.#from;
  }

  /** The column of the place whose line was asked for last, from 1, in characters as JavaScript counts them. */
  get column(): number {
    return this.#column;
  }

  append(chunk: Uint8Array): void {
    const held = this.#to - this.#from;
    if (this.#to + chunk.length > this.#memory.length) {
      const needed = held + chunk.length;
      const memory = needed * 2 > this.#memory.length ? Buffer.allocUnsafeSlow(needed * 2) : this.#memory;
      this.#memory.copy(memory, 0, this.#from, this.#to);
      this.#memory = memory;
      this.#from = 0;
      this.#to = held;
    }
    this.#memory.set(chunk, this.#to);
    this.#to += chunk.length;
  }

  /** Gives the bytes between two places, until the next are appended. */
  between(start: number, end: number): Buffer {
    return this.#memory.subarray(this.#indexOf(start), this.#indexOf(end));
  }

  /** Forgets what stands before a place. */
  forgetBefore(place: number): void {
    this.lineAt(place);
    this.#from = this.#indexOf(place);
    this.#start = place;
  }

  /** Gives the line of a place, which is not before one that was asked for already. */
  lineAt(place: number): number {
    const memory = this.#memory;
    const last = this.#indexOf(place);
    let line = this.#line;
    let column = this.#column;
    for (let index = this.#indexOf(this.#counted); index < last; index += 1) {
      const byte = memory[index] as number;
      const isEnd =
        byte === lineFeed ||
        (byte === carriageReturn && (index + 1 >= this.#to || memory[index + 1] !== lineFeed));
      if (isEnd) {
        line += 1;
        column = 1;
      } else if (byte < 0x80 || byte >= 0xc0) {
        column += byte < 0xf0 ? 1 : 2;
      }
    }
    this.#line = line;
    this.#column = column;
    this.#counted = place;
    return this.#line;
  }

  /** Skips the ends of lines that follow a place. */
  afterLineEnds(place: number): number {
    let index = this.#indexOf(place);
    while (index < this.#to && (this.#memory[index] === lineFeed || this.#memory[index] === carriageReturn))
      index += 1;
    return this.#start + index - this.#from;
  }

  #indexOf(place: number): number {
    return this.#from + place - this.#start;
  }
}
