import { fileURLToPath } from "node:url";
import { loadRenderer } from "../../src/emulator/renderer/pdfmake.ts";

/** Contains `DejaVuSans`, which has Hebrew and Arabic letters. */
const fonts = fileURLToPath(new URL("fonts", import.meta.url));

/**
 * Generates a real PDF from a pdfmake document definition, as the emulator does. Each process can have only one renderer, because it
 * changes pdfmake.
 */
export const render = loadRenderer({ templates: ".", images: undefined, fonts });

export const renderPdf = async (definition: object) => (await render(definition)).bytes;
