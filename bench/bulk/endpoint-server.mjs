// @ts-check
// The service's endpoint as the emulator and the handler have it, with a producer that has its documents ready.
// node endpoint-server.mjs <an empty folder>
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { pdfOf } from "../shared/pdf-of.mjs";

// It is no door of its own: bundled from the source.
const source = fileURLToPath(new URL("../../src/", import.meta.url));
const outfile = join(process.argv[2] ?? "", "endpoint.mjs");
const contents = `
export { createEndpoint } from "./service/endpoint.ts";
export { listen } from "./service/listen.ts";`;
await build({
  stdin: { contents, resolveDir: source, loader: "ts" },
  outfile,
  bundle: true,
  format: "esm",
  platform: "node",
  alias: { "#platform": join(source, "platform/node.ts") },
});
const { createEndpoint, listen } = await import(pathToFileURL(outfile).href);

/** @type {Map<string, Buffer>} */
const documents = new Map();

/** The uid tells how many bytes. @param {{ uid: string }} order */
function produce({ uid }) {
  let bytes = documents.get(uid);
  if (!bytes) {
    bytes = pdfOf(Number(uid));
    documents.set(uid, bytes);
  }
  return { bytes };
}

const endpoint = createEndpoint({ authorize: () => undefined, produce });
const { baseUrl } = await listen(endpoint, { host: "127.0.0.1", port: 0 });
process.send?.(baseUrl);
process.on("disconnect", () => process.exit());
