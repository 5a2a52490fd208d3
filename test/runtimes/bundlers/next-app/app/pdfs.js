import { TemplatePdf } from "template-pdf";

export const pdfs = new TemplatePdf({ baseUrl: process.env.SERVICE, apiKey: process.env.SERVICE_KEY });

/** What a server component shows of a document. */
export async function sizeOf(total) {
  const bytes = await pdfs.generate("inv_2024", { total }).bytes();
  return `${bytes.length} bytes`;
}

/** What a route tells of a document. */
export async function documentOf(total) {
  return new Response(await sizeOf(total));
}
