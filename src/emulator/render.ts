/** Lays out one pdfmake document definition and hands back the whole PDF. */
export type Render = (definition: object) => Promise<ReturnType<Uint8Array["slice"]>>;

async function importPdfmake() {
  const [{ default: pdfmake }, { default: fonts }] = await Promise.all([
    import("pdfmake"),
    import("pdfmake/fonts/Roboto.js"),
  ]);
  return { pdfmake, fonts };
}

/**
 * Loads pdfmake, which is an optional peer dependency, and sets it up with its own Roboto fonts only.
 *
 * A document cannot fetch from the network, and of local files pdfmake may open nothing but those fonts: pictures
 * come as `data:` URLs. One gap is pdfmake's (0.3.11): the file that an `<image>` inside an svg text names
 * is opened without asking, so a template must not pass on svg text out of its values.
 *
 * @param load - brings pdfmake; exchanged by tests
 * @throws {Error} when pdfmake is not installed.
 */
export async function loadRenderer(load: typeof importPdfmake = importPdfmake): Promise<Render> {
  const { pdfmake: shared, fonts } = await load().catch((cause: unknown): never => {
    const isMissing =
      cause instanceof Error && "code" in cause && /^(?:ERR_)?MODULE_NOT_FOUND$/.test(String(cause.code));
    if (!isMissing) throw cause;
    throw new Error("The emulator renders with pdfmake, which is not installed: npm install pdfmake", {
      cause,
    });
  });

  // The module exports one instance; fonts and policies set on it would reach into the user's own use of pdfmake.
  const pdfmake = new shared.constructor();
  const fontFiles = new Set(Object.values(fonts).flatMap((styles) => Object.values(styles)));
  pdfmake.setFonts(fonts);
  pdfmake.setUrlAccessPolicy(() => false);
  pdfmake.setLocalAccessPolicy((path) => fontFiles.has(path));
  return (definition) => pdfmake.createPdf(definition).getBuffer();
}
