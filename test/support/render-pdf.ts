import { loadRenderer } from "../../src/emulator/renderer/pdfmake.ts";

/** Makes a real PDF of a pdfmake document definition, as the emulator would. */
export const render = loadRenderer({ templates: ".", images: undefined, fonts: undefined });

export const renderPdf = async (definition: object) => (await render(definition)).bytes;
