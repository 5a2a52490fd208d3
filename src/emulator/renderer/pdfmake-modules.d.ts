// The part of pdfmake 0.3 that the emulator uses; pdfmake ships no types of its own.

declare module "pdfmake" {
  export interface Pdfmake {
    setFonts(fonts: FontFiles): void;
    setUrlAccessPolicy(allows: (url: string) => boolean): void;
    setLocalAccessPolicy(allows: (path: string) => boolean): void;
    createPdf(definition: object): Output;
  }

  export interface Output {
    /** Settles when the document is laid out. */
    getStream(): Promise<import("pdfmake/js/PDFDocument.js").PdfDocument>;
    getBuffer(): Promise<ReturnType<typeof Buffer.concat>>;
  }

  export type FontFiles = Record<string, Record<string, string>>;
}

declare module "pdfmake/js/PDFDocument.js" {
  /** A picture; that of a PNG holds its compressed pixels twice, unless this pdfkit keeps them elsewhere. */
  export interface OpenedImage {
    readonly width: number;
    readonly height: number;
    imgData?: unknown;
    readonly image?: { imgData?: unknown } | null;
  }

  /** A font of a document, by pdfkit. */
  export interface Font {
    /** Called with each line of text. */
    encode(text: string, ...more: unknown[]): unknown;
    /** By fontkit. */
    readonly font?: { hasGlyphForCodePoint(codePoint: number): boolean };
  }

  /** What each document is written into. */
  export interface PdfDocument {
    provideFont(familyName: string, bold: boolean, italics: boolean): Font;
    readonly images: Record<string, unknown>;
    /** For an `image` of the definition: a name in `images`, or a picture itself. */
    provideImage(source: unknown): unknown;
    /** For every picture in the end. */
    openImage(source: unknown): OpenedImage;
    /** For every attached file. */
    file(source: unknown, options?: { readonly name?: unknown }): unknown;
  }
}
