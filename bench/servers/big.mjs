// Serves documents of any size: /api/v1/templates/<bytes>/generate-sync, with a length, or "<bytes>-chunked" without.
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { piecesOf } from "./big-content.mjs";

const server = createServer((request, response) => {
  const [, bytes, chunked] = /templates\/(\d+)(-chunked)?\//.exec(request.url ?? "") ?? [];
  const size = Number(bytes);
  response.writeHead(200, {
    "content-type": "application/pdf",
    ...(!chunked && { "content-length": size }),
  });
  request.resume();
  Readable.from(piecesOf(size)).pipe(response);
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.(typeof address === "object" && address?.port);
});
process.on("disconnect", () => process.exit());
