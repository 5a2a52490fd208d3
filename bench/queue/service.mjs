// A rendering service for the queue benchmarks, in its own process. A document contains the body of its request. The one argument
// is JSON. GET /requests returns all requests as [time in ms, status, `n` of the values]; the status is 0 while the service renders.
// GET /count returns the number of rendered documents.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { pdfOf } from "../shared/pdf-of.mjs";
import { limiterOf } from "./limiter.mjs";

const { limit, badGatewayShare = 0, delayMs = 50, bytes = 2_000 } = JSON.parse(process.argv[2]);
const waitMsAt = limit ? limiterOf(limit) : () => 0;
const requests = [];
let count = 0;

const server = createServer(async (request, response) => {
  if (request.url === "/requests") return response.end(JSON.stringify(requests));
  if (request.url === "/count") return response.end(String(count));
  // The limit counts a request when it arrives, not when its body is complete.
  const atMs = performance.now();
  const waitMs = waitMsAt(atMs);
  const entry = [atMs, 0, undefined];
  requests.push(entry);
  const answer = (status, body, headers) => {
    entry[1] = status;
    response.writeHead(status, headers).end(body);
  };
  const body = await text(request).catch(() => undefined);
  if (body === undefined) return;
  entry[2] = JSON.parse(body).n;
  if (waitMs > 0) {
    return answer(429, "", limit.retryAfter ? { "retry-after": Math.ceil(waitMs / 1000) } : {});
  }
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  if (Math.random() < badGatewayShare) return answer(502, "");
  const pdf = pdfOf(bytes);
  pdf.write(body, "%PDF-1.7\n".length);
  count += 1;
  answer(200, pdf, { "content-type": "application/pdf" });
});
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit());
