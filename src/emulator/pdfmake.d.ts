// The part of pdfmake 0.3 that the emulator uses; pdfmake ships no types of its own.

declare module "pdfmake" {
  export interface Pdfmake {
    setFonts(fonts: FontFiles): void;
    setUrlAccessPolicy(allows: (url: string) => boolean): void;
    setLocalAccessPolicy(allows: (path: string) => boolean): void;
    createPdf(definition: object): { getBuffer(): Promise<ReturnType<typeof Buffer.concat>> };
  }

  export type FontFiles = Record<string, Record<string, string>>;

  /** One instance for the whole process, shared by everyone who imports pdfmake. */
  const shared: Pdfmake & { readonly constructor: new () => Pdfmake };
  export default shared;
}

declare module "pdfmake/fonts/Roboto.js" {
  /** Paths of the font files, by family and style. */
  const fonts: import("pdfmake").FontFiles;
  export default fonts;
}
