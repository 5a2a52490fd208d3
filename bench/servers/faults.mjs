// Serves /small/ and /large/ documents with occasional faults. A GET returns the number of requests and connections.
import { createServer } from "node:http";
import { pdfOf } from "../shared/pdf-of.mjs";

/** The number of requests per fault; the kinds of fault alternate. About 4 % of the requests fail. */
const faultEvery = 25;
const faults = [
  (response) => response.writeHead(503, { "retry-after": "0" }).end('{"message":"busy"}'),
  (response) => response.writeHead(429).end(),
  (response) => response.socket.resetAndDestroy(),
  (response, pdf) => {
    response.writeHead(200, { "content-length": pdf.length });
    response.write(pdf.subarray(0, pdf.length / 2), () => response.socket.destroy());
  },
];

const [small, large] = [2_000, 50_000].map(pdfOf);
let requests = 0;

const server = createServer((request, response) => {
  if (request.method === "GET") return report(response);
  request.resume().once("end", () => {
    const pdf = request.url.includes("/large/") ? large : small;
    const count = ++requests;
    if (count % faultEvery === 0) return faults[(count / faultEvery) % faults.length](response, pdf);
    response.writeHead(200, { "content-type": "application/pdf", "content-length": pdf.length }).end(pdf);
  });
});
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit());

/** Counts without the connection of this request. */
function report(response) {
  server.getConnections((_, connections) => {
    const body = JSON.stringify({ requests, connections: connections - 1 });
    response.writeHead(200, { connection: "close" }).end(body);
  });
}
