import { loadRenderer } from "../../src/emulator/renderer/pdfmake.ts";

/** Generates a real PDF from a pdfmake document definition, as the emulator does. */
export const render = loadRenderer({ templates: ".", images: undefined, fonts: undefined });

export const renderPdf = async (definition: object) => (await render(definition)).bytes;
