// Rate-limited servers that take 20 ms per document and respond with 429 above the limit. The path of the base URL selects one:
// /<window | bucket>/<per second>/<none | 1>. A window starts at the full second; a bucket holds the requests of one second.
import { createServer } from "node:http";
import { pdfOf } from "../shared/pdf-of.mjs";
import { limiterOf } from "./limiter.mjs";

const renderMs = 20;
const pdf = pdfOf(2_000);

const limiters = new Map();

const server = createServer((request, response) => {
  const [, kind, perSecond, retryAfter] = request.url.split("/");
  const name = `${kind}/${perSecond}/${retryAfter}`;
  if (!limiters.has(name)) limiters.set(name, limiterOf(kind, Number(perSecond)));
  request.resume().once("end", () => {
    if (limiters.get(name)()) {
      setTimeout(() => response.writeHead(200, { "content-type": "application/pdf" }).end(pdf), renderMs);
    } else {
      response.writeHead(429, retryAfter === "none" ? {} : { "retry-after": retryAfter }).end();
    }
  });
});
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit());
