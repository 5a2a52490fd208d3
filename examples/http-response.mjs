// A server that streams documents from the service to the browser:
//   node examples/http-response.mjs        then open the printed address
// It reads TEMPLATE_PDF_BASE_URL and TEMPLATE_PDF_API_KEY. PORT is 3000 by default.
import { createServer } from "node:http";
import { pipeline } from "node:stream/promises";
import { ApiError, RateLimitError, TemplatePdf, TemplatePdfError, TimeoutError } from "template-pdf";

const pdfs = new TemplatePdf(); // create one client and reuse it; it owns the connection pool
const totals = new Map([
  ["2026-0117", "£640.00"],
  ["2026-0118", "£1,128.00"],
]);

const server = createServer(async (request, response) => {
  const [, number = ""] = /^\/invoices\/([\d-]+)\.pdf$/.exec(request.url ?? "") ?? [];
  const total = totals.get(number);
  if (!total) return refuse(response, 404, "There is no such invoice.");
  // If the browser disconnects, the request to the service is aborted.
  const disconnected = new AbortController();
  response.once("close", () => disconnected.abort());
  try {
    const pdf = await pdfs.generate("invoice", { number, total }, { signal: disconnected.signal });
    response.setHeader("content-type", "application/pdf");
    response.setHeader("content-disposition", `inline; filename="${number}.pdf"`);
    if (pdf.contentLength !== undefined) response.setHeader("content-length", pdf.contentLength);
    await pipeline(pdf.nodeStream(), response);
  } catch (error) {
    if (disconnected.signal.aborted && !TemplatePdfError.is(error)) return; // the browser has disconnected
    console.error(`${number}: ${error.message}`);
    // If the document was truncated, `pipeline` has already closed the connection.
    if (!response.destroyed) refuse(response, ...responseTo(error, response));
  }
});

/** Returns a status and a text for the user. The message of the error is for the log, because it names the service. */
function responseTo(error, response) {
  if (RateLimitError.is(error) || (ApiError.is(error) && error.status === 503)) {
    if (error.retryAfterMs) response.setHeader("retry-after", Math.ceil(error.retryAfterMs / 1000));
    return [503, "There are too many requests. Try again in a moment."];
  }
  if (TimeoutError.is(error)) return [504, "The invoice took too long. Try again in a moment."];
  return [502, "The invoice could not be generated."];
}

function refuse(response, status, text) {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${text}\n`);
}

server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}/invoices/2026-0117.pdf`);
});
