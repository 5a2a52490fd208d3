import type { PdfObjects } from "./pdf-objects.ts";
import { widthOf } from "./win-ansi.ts";

/**
 * The font of whatever WinAnsi has. It is not embedded; every reader has one like it. Not Helvetica by name: pdf.js
 * would want a file for that, and warn where it was not told where to find one.
 */
export class StandardFont {
  #first = 256;
  #last = -1;

  /** Takes characters that are drawn, by their numbers. */
  use(codes: Iterable<number>): void {
    for (const code of codes) {
      if (code < this.#first) this.#first = code;
      if (code > this.#last) this.#last = code;
    }
  }

  /** Writes it, and gives its number; `undefined` where nothing was drawn in it. */
  write(objects: PdfObjects): number | undefined {
    if (this.#last === -1) return undefined;
    const widths = Array.from({ length: this.#last - this.#first + 1 }, (_, at) => widthOf(this.#first + at));
    const descriptor = objects.add(
      "<< /Type /FontDescriptor /FontName /Arimo /Flags 32 /FontBBox [-166 -225 1000 931] /ItalicAngle 0 /Ascent 905 /Descent -212 /CapHeight 716 /StemV 88 >>",
    );
    return objects.add(
      `<< /Type /Font /Subtype /TrueType /BaseFont /Arimo /Encoding /WinAnsiEncoding /FirstChar ${this.#first} /LastChar ${this.#last} /Widths [${widths.join(" ")}] /FontDescriptor ${descriptor} 0 R >>`,
    );
  }
}
