// A server of both protocols that takes 50 ms over every document, as a service that renders does, and counts its sockets.
// Certificate and key come by a message. Sizes are picked by the uid: /api/v1/templates/<bytes>/generate-sync.
import { once } from "node:events";
import { createSecureServer } from "node:http2";
import { pdfOf } from "./shared/pdf-of.mjs";

const renderMs = 50;

const documents = new Map([2_000, 50_000].map((bytes) => [String(bytes), pdfOf(bytes)]));

const [issued] = await once(process, "message");
let sockets = 0;
const server = createSecureServer({ ...issued, allowHTTP1: true }, (request, response) => {
  const pdf = documents.get(/templates\/(\d+)\//.exec(request.url)?.[1] ?? "2000");
  request.resume().once("end", () => {
    setTimeout(() => {
      response.writeHead(200, { "content-type": "application/pdf", "content-length": pdf.length }).end(pdf);
    }, renderMs);
  });
});
server.on("secureConnection", () => sockets++);
server.on("sessionError", () => {});
server.on("error", () => {});
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
process.on("message", () => {
  process.send({ sockets });
  sockets = 0;
});
process.on("disconnect", () => process.exit());
