import { textOfCodes } from "./win-ansi.ts";
import { fakeMark } from "./write-pdf.ts";

/** Whether `fakePdf()` made the document, and nobody has added anything since but padding. */
export function isFake(bytes: Uint8Array): boolean {
  return tableOf(bytes) !== undefined;
}

/**
 * Gives the text back that a fake document was made of.
 *
 * @throws {Error} when it was changed on the way
 */
export function readFake(bytes: Uint8Array): string {
  try {
    return new FakeReader(bytes).text();
  } catch {
    throw new Error(
      "This fake PDF is damaged: it begins and ends as one, but not all is in its place between. Check that it was handled as bytes and never as text.",
    );
  }
}

const ending = new RegExp(`${fakeMark}\\s+startxref\\s+(\\d+)\\s+%%EOF$`);

/** Where the table of a fake's objects begins. */
function tableOf(bytes: Uint8Array): number | undefined {
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1] === 0 || /\s/.test(String.fromCharCode(bytes[end - 1] as number))))
    end -= 1;
  const found = ending.exec(latin1(bytes, Math.max(0, end - 100), end));
  return found?.[1] === undefined ? undefined : Number(found[1]);
}

class FakeReader {
  readonly #bytes: Uint8Array;
  /** Where each object begins, by its number. */
  readonly #offsets: readonly number[];
  /** The texts of each font's glyphs, by the font's number as an object. */
  readonly #fonts = new Map<string, ReadonlyMap<string, string>>();

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    const tableAt = tableOf(bytes) ?? Number.NaN;
    const [head, size] = match(/^xref\n0 (\d+)\n/, latin1(bytes, tableAt, tableAt + 40));
    const entries = latin1(bytes, tableAt + head.length, tableAt + head.length + 20 * Number(size));
    this.#offsets = Array.from({ length: Number(size) }, (_, number) =>
      Number(match(/^\d{10} \d{5} [fn] \n/, entries.slice(20 * number, 20 * number + 20))[0].slice(0, 10)),
    );
  }

  text(): string {
    const tree = this.#dictionary(match(/\/Pages (\d+) 0 R/, this.#dictionary("1"))[1]);
    const kids = match(/\/Kids \[([\d R]*)\]/, tree)[1];
    let text = "";
    for (const [, number = ""] of kids.matchAll(/\b(\d+) 0 R/g))
      text += this.#textOfPage(this.#dictionary(number));
    return text.replace(/\n$/, "");
  }

  #textOfPage(page: string): string {
    const content = /\/Contents (\d+) 0 R/.exec(page)?.[1];
    if (content === undefined) return "";
    const rows = match(/^BT [^\n]*\n(.*)\nET$/s, this.#stream(content))[1].split("\n");
    const fonts = new Map(
      [...page.matchAll(/\/([RSTU]\d+) (\d+) 0 R/g)].map(([, name, number]) => [name, number]),
    );
    return rows.map((row) => this.#textOfRow(row, (name) => this.#font(fonts.get(name)))).join("");
  }

  #textOfRow(row: string, fontOf: (name: string) => ReadonlyMap<string, string>): string {
    const shown = /\/F [\d.]+ Tf \(((?:[^\\()]|\\.)*)\) Tj |\/(([RSTU])\d+) [\d.]+ Tf <([0-9a-f]*)> Tj /y;
    let text = "";
    let at = 0;
    for (let found = shown.exec(row); found; found = shown.exec(row)) {
      const [, literal, name = "", direction, hex = ""] = found;
      at = shown.lastIndex;
      if (literal !== undefined) {
        text += textOfCodes(
          Array.from(literal.replace(/\\(.)/g, "$1"), (character) => character.charCodeAt(0)),
        );
        continue;
      }
      const font = fontOf(name);
      const glyphs = (hex.match(/../g) ?? []).map((code) => known(font.get(code)));
      const run = glyphs.join("");
      text += direction === "R" || direction === "S" ? Array.from(run).toReversed().join("") : run;
    }
    // A line that goes on in the next row ends in another operator.
    return match(/^(?:T\*|0 -\d+ Td)$/, row.slice(at))[0] === "T*" ? `${text}\n` : text;
  }

  #font(number: string | undefined): ReadonlyMap<string, string> {
    const key = known(number);
    const font = this.#fonts.get(key) ?? this.#readFont(key);
    this.#fonts.set(key, font);
    return font;
  }

  #readFont(number: string): ReadonlyMap<string, string> {
    const map = this.#stream(match(/\/ToUnicode (\d+) 0 R/, this.#dictionary(number))[1]);
    return new Map(
      [...map.matchAll(/^<(..)> <([0-9a-f]{4,})>$/gm)].map(([, code = "", units = ""]) => [
        code,
        units.replace(/..../g, (unit) => String.fromCharCode(Number.parseInt(unit, 16))),
      ]),
    );
  }

  #dictionary(number: string): string {
    const from = this.#start(number);
    for (let length = 1_024; ; length *= 4) {
      const text = latin1(this.#bytes, from, from + length);
      const end = text.indexOf("\nendobj\n");
      if (end !== -1) return text.slice(0, end);
      if (text.length < length) throw new RangeError("An object without an end.");
    }
  }

  #stream(number: string): string {
    const from = this.#start(number);
    const [head, length] = match(/^<< \/Length (\d+) >>\nstream\n/, latin1(this.#bytes, from, from + 60));
    const start = from + head.length;
    const end = start + Number(length);
    match(/^\nendstream\nendobj\n$/, latin1(this.#bytes, end, end + 18));
    return latin1(this.#bytes, start, end);
  }

  /** Where an object's own text begins. */
  #start(number: string): number {
    const offset = known(this.#offsets[Number(number)]);
    const head = `${number} 0 obj\n`;
    if (latin1(this.#bytes, offset, offset + head.length) !== head)
      throw new RangeError("An object elsewhere.");
    return offset + head.length;
  }
}

function latin1(bytes: Uint8Array, from: number, to: number): string {
  let text = "";
  // In pieces: a call takes only so many arguments.
  for (let at = from; at < Math.min(to, bytes.length); at += 8_192) {
    text += String.fromCharCode(...bytes.subarray(at, Math.min(at + 8_192, to)));
  }
  return text;
}

/** The match of a pattern and what is in its first brackets. */
function match(pattern: RegExp, text: string): readonly [string, string] {
  const found = pattern.exec(text);
  if (!found) throw new RangeError("Something else stands here.");
  return [found[0], found[1] ?? ""];
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new RangeError("Nothing stands here.");
  return value;
}
