import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FontFiles, Pdfmake, PdfmakeInternals } from "pdfmake";
import type { PdfDocument } from "pdfmake/js/PDFDocument.js";
import { describeThrown, isInstance, readForeignText } from "../../errors/foreign-values.ts";
import type { Bytes } from "../../index.ts";
import { requireFrom as requireFromFile } from "../require-from.ts";
import { TooLarge } from "./definition-size.ts";
import { ElementWatch, noteFailedPath } from "./element-watch.ts";
import { guardFiles } from "./file-access.ts";
import { adaptFonts } from "./font-characters.ts";
import { fileStyles, openPictures, readFonts } from "./named-folders.ts";
import { orderLines } from "./ordered-lines.ts";
import type { RendererSetup } from "./protocol.ts";
import { TemplateMistake } from "./template.ts";
import { watchUndrawnContent } from "./undrawn-content.ts";

interface Rendered {
  readonly bytes: Bytes;
  /** What the document does not show. The warnings contain no values. */
  readonly warnings: readonly string[];
}

/** Checks an element that a function of the definition returned, such as the footer of a page. Throws its mistakes. */
type CheckElement = (element: unknown, name: string) => void;

type Render = (definition: object, check?: CheckElement) => Promise<Rendered>;

type RequireFrom = (path: string) => (...id: Parameters<NodeJS.Require>) => ReturnType<NodeJS.Require>;

interface PdfmakeParts {
  readonly pdfmake: Pdfmake;
  readonly roboto: FontFiles;
  readonly document: PdfDocument;
  readonly internals: PdfmakeInternals;
  readonly elements: ElementWatch;
}

/** Searches for pdfmake next to this package, then from the template folder, because `npx` installs this package elsewhere. */
function requirePdfmake(templates: string, requireFrom: RequireFrom): PdfmakeParts {
  let missing: unknown;
  for (const from of [fileURLToPath(import.meta.url), join(templates, "template.mjs")]) {
    const require = requireFrom(from);
    const prototypeOf = (module: string) => require(`pdfmake/js/${module}.js`).default.prototype;
    try {
      return {
        pdfmake: require("pdfmake"),
        roboto: require("pdfmake/fonts/Roboto.js"),
        document: prototypeOf("PDFDocument"),
        internals: {
          preprocessor: prototypeOf("DocPreprocessor"),
          layoutBuilder: prototypeOf("LayoutBuilder"),
          textInlines: prototypeOf("TextInlines"),
          writer: prototypeOf("PageElementWriter"),
          renderer: prototypeOf("Renderer"),
        },
        elements: new ElementWatch([
          [prototypeOf("DocPreprocessor"), "preprocessNode"],
          [prototypeOf("DocMeasure"), "measureNode"],
          [prototypeOf("LayoutBuilder"), "processNode"],
        ]),
      };
    } catch (cause) {
      if (!isMissing(cause)) throw cause;
      missing = cause;
    }
  }
  const message = "The emulator renders with pdfmake, which is not installed: npm install pdfmake";
  throw Object.assign(new Error(message, { cause: missing }), { code: "pdfmake_missing" });
}

/**
 * Sets up pdfmake with Roboto and the fonts in a folder. Requires a separate thread, because it changes
 * pdfmake's global state. Documents can open only these fonts and the images in the given folder, and cannot
 * fetch URLs.
 */
export function loadRenderer(setup: RendererSetup, requireFrom: RequireFrom = requireFromFile): Render {
  const { pdfmake, roboto, document, internals, elements } = requirePdfmake(setup.templates, requireFrom);
  const readPicture = openPictures(setup.images);
  const useFonts = () => {
    const fonts = { ...roboto, ...(setup.fonts === undefined ? {} : readFonts(setup.fonts)) };
    const files = new Set(Object.values(fonts).flatMap((styles) => Object.values(styles)));
    pdfmake.setFonts(fonts);
    pdfmake.setLocalAccessPolicy((path) => files.has(path));
  };
  useFonts();
  pdfmake.setUrlAccessPolicy(() => false);
  const failures = guardFiles(document, readPicture, () => elements.fail());
  const missingCharacters = adaptFonts(document);
  orderLines(internals);
  const undrawnContent = watchUndrawnContent(internals);
  return async (definition, check = () => {}) => {
    // The folder may have changed.
    if (setup.fonts !== undefined) useFonts();
    // A copy, because pdfmake changes definitions, and a template may return the same one again.
    const { images }: { images?: object } = definition;
    const pageParts = new Map<string, unknown>();
    elements.reset();
    const located = (cause: unknown): never => {
      const error = isInstance(cause, Error) ? cause : new Error(describeThrown(cause));
      noteFailedPath(error, elements.findPath({ ...definition, ...Object.fromEntries(pageParts) }));
      throw error;
    };
    const watched = watchPageParts(definition, (part, name) => {
      pageParts.set(name, part);
      check(part, name);
    });
    const output = pdfmake.createPdf({ ...watched, images: { ...images } });
    const laidOut = await output.getStream().catch((cause) => located(explain(cause)));
    const failure = failures.get(laidOut);
    if (failure) located(failure);
    // A copy, because a small Buffer shares its memory with others.
    const bytes = new Uint8Array(await output.getBuffer());
    return { bytes, warnings: [...undrawnContent(laidOut), ...missingCharacters(laidOut)] };
  };
}

/** Returns a copy of a definition that reports what its functions for pages return. */
function watchPageParts(definition: object, onPart: CheckElement): object {
  const watched: Record<string, unknown> = { ...definition };
  for (const name of ["header", "footer", "background"]) {
    const original = watched[name];
    if (typeof original !== "function") continue;
    watched[name] = (...page: unknown[]): unknown => {
      const part: unknown = original.apply(definition, page);
      onPart(part, name);
      return part;
    };
  }
  return watched;
}

/** pdfmake throws a string if a QR code cannot hold its text, and mentions a "font section" that templates do not have. */
function explain(cause: unknown): unknown {
  if (cause === "too large data for the Qr format") {
    return new TooLarge("a QR code cannot hold its text; shorten it");
  }
  const [, font, style = ""] =
    /^Font '(.+)' in style '(\w+)' is not defined/.exec(readForeignText(cause, "message") ?? "") ?? [];
  if (font === undefined) return cause;
  return new TemplateMistake(
    "a font has no file; add it to the font folder (`fonts`)",
    `${font}-${fileStyles[style] ?? style}.ttf`,
  );
}

function isMissing(error: unknown): boolean {
  return /^(?:ERR_)?MODULE_NOT_FOUND$/.test(readForeignText(error, "code") ?? "");
}
