// Servers that take 20 ms over a document, allow so many a second and answer 429 beyond: each by the path of its base
// URL, /<window | bucket>/<a second>/<none | 1>. A window begins at the whole second; a bucket holds a second's worth.
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
