import { ByteWindow } from "./byte-window.ts";

export const maxElementMiB = 64;
const maxElementBytes = maxElementMiB * 1024 * 1024;

/** Where something stands, both counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** What stands between two commas of an array. */
export interface Element extends Position {
  /** Its text, until the next chunk is pushed; nothing where it is too long. */
  readonly bytes: Buffer | undefined;
  /** What stands here instead of an element. */
  readonly fault?: string;
}

/** What is wrong with the array itself, after which nothing is read. */
export interface ArrayFault extends Position {
  readonly message: string;
}

const isWhite = tableOf(" \t\r\n");
/** What means something within a text, and outside of one. */
const endsText = tableOf('"\\\n');
const endsPlain = tableOf('"{}[],');

const lineFeed = 0x0a;
const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Cuts a JSON array in UTF-8 into its elements, which it does not read, and holds one of them at a time. */
export class ElementCutter {
  readonly #window = new ByteWindow();
  /** How far it has looked. */
  #place = 0;
  /** Of brackets and braces: 0 before the array and after it. */
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  /** Where the element begins, or the white space before it. */
  #start = 0;
  /** Where an element stands that is too long: its bytes are left out. */
  #tooLong: Position | undefined;
  #afterComma = false;
  #hasEnded = false;
  #fault: ArrayFault | undefined;

  /** What ended the reading before the end. */
  get fault(): ArrayFault | undefined {
    return this.#fault;
  }

  /** Gives the elements that end in this chunk. */
  push(chunk: Uint8Array): readonly Element[] {
    const window = this.#window;
    window.append(chunk);
    const elements: Element[] = [];
    const offset = this.#place;
    for (let index = 0; index < chunk.length; index += 1) {
      if (this.#isEscaped) {
        this.#isEscaped = false;
        continue;
      }
      if (this.#depth > 0) {
        const ends = this.#isInText ? endsText : endsPlain;
        while (index < chunk.length && !ends[chunk[index] as number]) index += 1;
        if (index === chunk.length) break;
      }
      const byte = chunk[index] as number;
      if (this.#isInText) {
        if (byte === backslash) this.#isEscaped = true;
        // A text ends on its line: one that does not is wrong, and what follows it may be right.
        else if (byte === quote || byte === lineFeed) this.#isInText = false;
      } else if (this.#depth === 0) {
        if (isWhite[byte]) continue;
        if (this.#hasEnded || byte !== openBracket) {
          this.#fault = { ...this.#positionOf(offset + index), message: "the JSON has ended already" };
          return elements;
        }
        this.#depth = 1;
        this.#start = offset + index + 1;
      } else if (byte === quote) {
        this.#isInText = true;
      } else if (byte === openBrace || byte === openBracket) {
        this.#depth += 1;
      } else if (this.#depth > 1) {
        if (byte === closeBrace || byte === closeBracket) this.#depth -= 1;
      } else if (byte === comma || byte === closeBracket) {
        const element = this.#elementTo(offset + index, byte === comma);
        if (element) elements.push(element);
        this.#afterComma = byte === comma;
        this.#start = offset + index + 1;
        if (byte === closeBracket) {
          this.#depth = 0;
          this.#hasEnded = true;
        }
      }
    }
    this.#place = offset + chunk.length;
    if (this.#depth > 0 && this.#place - this.#start > maxElementBytes) {
      this.#tooLong ??= this.#positionOf(this.#firstOf(this.#start, this.#place));
    }
    window.forgetBefore(this.#depth > 0 && !this.#tooLong ? this.#start : this.#place);
    return elements;
  }

  /** Gives what stands where the array is not closed. */
  end(): readonly Element[] {
    if (this.#hasEnded) return [];
    const isBlank = !this.#tooLong && this.#firstOf(this.#start, this.#place) === this.#place;
    const element = isBlank ? undefined : this.#elementTo(this.#place, false);
    const message = "an array is not closed; ] should stand here";
    this.#fault = { ...this.#positionOf(this.#place), message };
    return element ? [element] : [];
  }

  /** Gives the element that ends before a place; nothing where none has to stand. */
  #elementTo(end: number, isBeforeComma: boolean): Element | undefined {
    if (this.#tooLong) {
      const position = this.#tooLong;
      this.#tooLong = undefined;
      return { ...position, bytes: undefined };
    }
    const first = this.#firstOf(this.#start, end);
    const position = this.#positionOf(first);
    if (first < end) return { ...position, bytes: this.#window.between(first, end) };
    if (isBeforeComma) return { ...position, bytes: undefined, fault: "a value should stand here" };
    if (!this.#afterComma) return undefined;
    return { ...position, bytes: undefined, fault: "nothing follows the comma before this" };
  }

  /** Gives the place of the first character that is no white space. */
  #firstOf(start: number, end: number): number {
    const bytes = this.#window.between(start, end);
    let index = 0;
    while (index < bytes.length && isWhite[bytes[index] as number]) index += 1;
    return start + index;
  }

  #positionOf(place: number): Position {
    return { line: this.#window.lineAt(place), column: this.#window.column };
  }
}

function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}
