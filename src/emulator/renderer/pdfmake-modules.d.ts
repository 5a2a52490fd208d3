// The part of pdfmake 0.3 that the emulator uses. pdfmake ships no types.

declare module "pdfmake" {
  export interface Pdfmake {
    setFonts(fonts: FontFiles): void;
    setUrlAccessPolicy(allows: (url: string) => boolean): void;
    setLocalAccessPolicy(allows: (path: string) => boolean): void;
    createPdf(definition: object): Output;
  }

  export interface Output {
    /** Resolves when the document is laid out. */
    getStream(): Promise<import("pdfmake/js/PDFDocument.js").PdfDocument>;
    getBuffer(): Promise<ReturnType<typeof Buffer.concat>>;
  }

  export type FontFiles = Record<string, Record<string, string>>;
}

declare module "pdfmake/js/PDFDocument.js" {
  /** An image. A PNG holds its compressed pixels twice in some versions of pdfkit. */
  export interface OpenedImage {
    readonly width: number;
    readonly height: number;
    imgData?: unknown;
    readonly image?: { imgData?: unknown } | null;
  }

  /** A font in a document, created by pdfkit. */
  export interface Font {
    /** Called with each line of text. */
    encode(text: string, ...more: unknown[]): unknown;
    /** Created by fontkit. */
    readonly font?: { hasGlyphForCodePoint(codePoint: number): boolean };
  }

  /** The PDF document. */
  export interface PdfDocument {
    /** The paths of the fonts by family and style, or their bytes. */
    readonly fonts: Record<string, Record<string, string | Uint8Array>>;
    getFontType(bold: boolean, italics: boolean): string;
    getFontFile(familyName: string, bold: boolean, italics: boolean): string | Uint8Array | null;
    provideFont(familyName: string, bold: boolean, italics: boolean): Font;
    readonly images: Record<string, unknown>;
    /** For an `image` in the definition: a name in `images`, or the image. */
    provideImage(source: unknown): unknown;
    /** Called for every image. */
    openImage(source: unknown): OpenedImage;
    /** Called for every attached file. */
    file(source: unknown, options?: { readonly name?: unknown }): unknown;
  }
}
