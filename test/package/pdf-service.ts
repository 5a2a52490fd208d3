import { listen } from "../support/sockets.ts";

/** The smallest document that a client accepts as a complete PDF. */
export const pdf = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";

/** Starts a service on a free port that responds to every request with that document. */
export async function startPdfService(): Promise<{ baseUrl: string; close(): Promise<void> }> {
  const { origin: baseUrl, close } = await listen((request, response) => {
    request.resume().on("end", () => response.setHeader("content-type", "application/pdf").end(pdf));
  });
  return { baseUrl, close };
}
