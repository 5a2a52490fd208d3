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

  /** A piece of text with one style. pdfmake has one inline for each word. */
  export interface Inline {
    text: string;
    width: number;
  }

  /** An element of a definition. pdfmake changes it during the layout. */
  export interface LayoutNode {
    readonly text?: unknown;
    readonly section?: unknown;
    readonly columns?: unknown;
    readonly stack?: unknown;
    readonly ul?: unknown;
    readonly ol?: unknown;
    readonly table?: { readonly body?: unknown };
    /** The rest of its text, which has no lines yet. */
    readonly _inlines?: Inline[];
  }

  export interface Line {
    readonly inlines: Inline[];
    getHeight(): number;
    getWidth(): number;
  }

  /** An image, an SVG image, a QR code or a vector. */
  export interface Picture {
    readonly _canvas?: Picture[];
    /** Added by the emulator. */
    _picture?: unknown;
  }

  /** The prototypes of the classes that lay out and draw documents. */
  export interface PdfmakeInternals {
    readonly preprocessor: Record<"preprocessDocument" | "preprocessBlock", (node: unknown) => LayoutNode>;
    readonly layoutBuilder: {
      layoutDocument(
        structure: unknown,
        document: import("pdfmake/js/PDFDocument.js").PdfDocument,
        ...more: unknown[]
      ): unknown;
      processLeaf(node: LayoutNode): void;
    };
    readonly writer: {
      addLine(line: Line, ...more: unknown[]): unknown;
    } & Record<"addImage" | "addSVG" | "addQr", (picture: Picture, ...more: unknown[]) => unknown>;
    readonly renderer: {
      readonly pdfDocument: import("pdfmake/js/PDFDocument.js").PdfDocument;
      renderLine(line: Line, x: number, y: number): void;
    } & Record<"renderImage" | "renderSVG" | "renderVector", (picture: Picture) => void>;
  }
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
    /** The current page. */
    readonly page: { readonly width: number; readonly height: number };
    /** For an `image` in the definition: a name in `images`, or the image. */
    provideImage(source: unknown): unknown;
    /** Called for every image. */
    openImage(source: unknown): OpenedImage;
    /** Called for every attached file. */
    file(source: unknown, options?: { readonly name?: unknown }): unknown;
  }
}
