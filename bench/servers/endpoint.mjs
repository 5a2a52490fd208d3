// Serves prepared documents with the endpoint of the emulator and the handler.
import { importSource } from "../shared/import-source.mjs";
import { pdfOf } from "../shared/pdf-of.mjs";

const { createEndpoint, listen } = await importSource(`
  export { createEndpoint } from "./src/service/endpoint.ts";
  export { listen } from "./src/service/listen.ts";
`);

const documents = new Map();

/** The uid is the number of bytes. */
function produce({ uid }) {
  if (!documents.has(uid)) documents.set(uid, pdfOf(Number(uid)));
  return { bytes: documents.get(uid) };
}

const endpoint = createEndpoint({ authorize: () => undefined, produce });
const { baseUrl } = await listen(endpoint, { host: "127.0.0.1", port: 0 });
process.send(Number(new URL(baseUrl).port));
process.on("disconnect", () => process.exit());
