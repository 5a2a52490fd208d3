// Serves HTTP/1.1 and HTTP/2 over TLS, and takes 50 ms per document to simulate rendering. The uid is the number of bytes.
// node http2.mjs <certificate file> <key file>
import { readFileSync } from "node:fs";
import { createSecureServer } from "node:http2";
import { pdfOf } from "../shared/pdf-of.mjs";

const renderMs = 50;
const documents = new Map([2_000, 50_000].map((bytes) => [String(bytes), pdfOf(bytes)]));
const [cert, key] = process.argv.slice(2).map((path) => readFileSync(path));

const server = createSecureServer({ cert, key, allowHTTP1: true }, (request, response) => {
  const pdf = documents.get(/templates\/(\d+)\//.exec(request.url)?.[1] ?? "2000");
  request.resume().once("end", () => {
    setTimeout(() => {
      response.writeHead(200, { "content-type": "application/pdf", "content-length": pdf.length }).end(pdf);
    }, renderMs);
  });
});
server.on("sessionError", () => {});
server.on("error", () => {});
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit());
