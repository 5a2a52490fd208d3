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
    x: number;
    readonly font: import("pdfmake/js/PDFDocument.js").Font;
    readonly fontSize: number;
    readonly fontFeatures?: unknown;
    readonly characterSpacing?: number;
    /** Whether the text ends with a line break. */
    readonly lineEnd?: boolean;
    /** The space before it, if the text is justified. */
    readonly justifyShift?: number;
    /** Added by the emulator: its position in a paragraph with right-to-left text. */
    _place?:
      | { readonly paragraph: import("./right-to-left.ts").Paragraph; readonly start: number }
      | undefined;
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

  export interface Marked {
    /** Added by the emulator to recognize a copy. */
    _mark?: object;
  }

  export interface Line extends Marked {
    readonly inlines: Inline[];
    inlineWidths: number;
    /** The width of the spaces at its start and its end. */
    readonly leadingCut: number;
    trailingCut: number;
    getHeight(): number;
    getWidth(): number;
  }

  /** An image, an SVG image, a QR code or a vector. */
  export interface Picture extends Marked {
    readonly _canvas?: Picture[];
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
      buildNextLine(node: LayoutNode): Line | null;
    };
    readonly textInlines: {
      buildInlines(text: unknown, styles: unknown): { readonly items: readonly Inline[] };
    };
    readonly writer: {
      addLine(line: Line, ...more: unknown[]): unknown;
    } & Record<"addImage" | "addSVG" | "addQr", (picture: Picture, ...more: unknown[]) => unknown>;
    readonly renderer: {
      readonly pdfDocument: import("pdfmake/js/PDFDocument.js").PdfDocument;
      renderLine(line: Line, x: number, y: number): void;
      renderWatermark(page: {
        readonly watermark: {
          readonly _size: { readonly rotatedSize: { readonly width: number; readonly height: number } };
        };
      }): void;
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
    /** Called with each text that is drawn. */
    encode(text: string, ...more: unknown[]): unknown;
    /** Called with each text that is measured or drawn. */
    layout(text: string, features?: unknown, isOnlyWidth?: boolean): GlyphRun;
    widthOfString(text: string, size: number, features?: unknown): number;
    /** The factor from the units of the font to thousandths of its size. */
    readonly scale: number;
    /** Created by fontkit. */
    readonly font: {
      hasGlyphForCodePoint(codePoint: number): boolean;
      layout(
        text: string,
        features: unknown,
        script: undefined,
        language: undefined,
        direction: "ltr" | "rtl",
      ): GlyphRun;
    };
  }

  /** The glyphs of a text from left to right. */
  export interface GlyphRun {
    readonly glyphs: { readonly advanceWidth: number }[];
    readonly positions: {
      readonly xAdvance: number;
      readonly yAdvance: number;
      readonly xOffset: number;
      readonly yOffset: number;
      readonly advanceWidth?: number;
    }[];
    readonly advanceWidth: number;
  }

  /** The PDF document. */
  export interface PdfDocument {
    /** The paths of the fonts by family and style, or their bytes. */
    readonly fonts: Record<string, Record<string, string | Uint8Array>>;
    getFontType(bold: boolean, italics: boolean): string;
    getFontFile(familyName: string, bold: boolean, italics: boolean): string | Uint8Array | null;
    /** Opens a font, or selects one that is open, as `_font`. */
    font(...source: unknown[]): this;
    readonly _font: Font;
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
