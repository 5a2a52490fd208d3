// A server that answers with documents, while they come from the service:
//   node examples/http-response.mjs        then open the address that it prints
// It asks the service at TEMPLATE_PDF_BASE_URL, with the key in TEMPLATE_PDF_API_KEY; PORT is 3000 where it is not set.
import { createServer } from "node:http";
import { pipeline } from "node:stream/promises";
import { ApiError, RateLimitError, TemplatePdf, TemplatePdfError, TimeoutError } from "template-pdf";

const pdfs = new TemplatePdf(); // one for the whole program: it holds the connections
const totals = new Map([
  ["2026-0117", "£640.00"],
  ["2026-0118", "£1,128.00"],
]);

const server = createServer(async (request, response) => {
  const [, number = ""] = /^\/invoices\/([\d-]+)\.pdf$/.exec(request.url ?? "") ?? [];
  const total = totals.get(number);
  if (!total) return refuse(response, 404, "There is no such invoice.");
  // Who closes the page has no use for the document: then the service is left, too.
  const left = new AbortController();
  response.once("close", () => left.abort());
  try {
    const pdf = await pdfs.generate("invoice", { number, total }, { signal: left.signal });
    response.setHeader("content-type", "application/pdf");
    response.setHeader("content-disposition", `inline; filename="${number}.pdf"`);
    if (pdf.contentLength !== undefined) response.setHeader("content-length", pdf.contentLength);
    await pipeline(pdf.nodeStream(), response);
  } catch (error) {
    if (left.signal.aborted && !TemplatePdfError.is(error)) return; // nobody is there any more
    console.error(`${number}: ${error.message}`);
    // Of a document that breaks off, the caller has a part by now: the answer was broken off with it.
    if (!response.destroyed) refuse(response, ...answerTo(error, response));
  }
});

/** What the caller may know of it. The message of an error names the service: it is for the log. */
function answerTo(error, response) {
  if (RateLimitError.is(error) || (ApiError.is(error) && error.status === 503)) {
    if (error.retryAfterMs) response.setHeader("retry-after", Math.ceil(error.retryAfterMs / 1000));
    return [503, "Too many invoices are being made. Try again in a moment."];
  }
  if (TimeoutError.is(error)) return [504, "The invoice took too long. Try again in a moment."];
  return [502, "The invoice could not be made."];
}

function refuse(response, status, text) {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${text}\n`);
}

server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}/invoices/2026-0117.pdf`);
});
