import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The smallest document that a client takes for a whole PDF. */
export const pdf = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";

/** Starts a service on a free port that answers everything with that document. */
export async function startPdfService(): Promise<{ baseUrl: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.setHeader("content-type", "application/pdf").end(pdf));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
