import { ApiError, TemplatePdfError, TimeoutError } from "template-pdf";
import { equal, isDocument } from "./expect.mjs";

/** How long the one clock runs that a fault is expected to stop, and how long all others do; in milliseconds. */
const short = 300;
const long = 20_000;

/**
 * At least one fault of each kind that docs/reports/faults.md has, by its name there, and what comes of it without a second
 * try. What some runtime does by itself, `facts.otherwise` tells.
 */
const table = [
  // No answer
  ["the connection is reset instead of an answer", "ConnectionError"],
  ["closed without an answer", "ConnectionError"],
  ["something that is no HTTP", "ConnectionError"],
  ["an answer that never begins", "TimeoutError (firstByte)"],
  ["half a head, and then nothing", "TimeoutError (firstByte)"],
  // A head that is wrong
  ["a NUL in a header", "ConnectionError"],
  ["two lengths that differ", "ConnectionError"],
  // Something before the answer
  ["103 Early Hints, twice", "whole"],
  // An answer that is an error
  ["302 to another address", "ApiError 302"],
  ["304", "ApiError 304"],
  // An error whose own body is broken
  ["500 with 10 MB", "ServerError 500"],
  ["503 whose body is cut off", "ServerError 503"],
  ["503 whose gzip is damaged", "ServerError 503"],
  // A success that is no PDF
  ["an HTML page instead of the document", "InvalidPdfError"],
  ["a JSON error with status 200", "InvalidPdfError"],
  ["200 and nothing", "InvalidPdfError"],
  ["204 No Content", "InvalidPdfError"],
  ["something endless that is no PDF", "InvalidPdfError"],
  // A document that stops
  ["the head comes, and never a byte of the document", "TimeoutError (firstByte)"],
  ["the document stops in the middle, and the connection stays", "TimeoutError (stall)"],
  ["all of it comes, of unknown length, and no end", "TimeoutError (stall)"],
  ["it comes so slowly that it takes for ever", "TimeoutError (total)"],
  // A document that is cut off
  ["closed after the head", "TruncatedPdfError"],
  ["the connection ends in the middle of the document", "TruncatedPdfError"],
  ["the connection is reset in the middle of the document", "TruncatedPdfError"],
  ["closed in the middle, and its length was not told", "TruncatedPdfError"],
  ["the length is right, and the end mark is missing", "TruncatedPdfError"],
  ["it is whole, and shorter than the length says", "TruncatedPdfError"],
  ["chunks, closed without the last one", "TruncatedPdfError"],
  ["a chunk whose size is no number", "TruncatedPdfError"],
  ["gzip that is cut off", "TruncatedPdfError"],
  // Odd, and whole all the same
  ["the head comes in crumbs", "whole"],
  ["HTTP/1.0, and the end is where the connection ends", "whole"],
  ["chunks", "whole"],
  ["chunks with trailers", "whole"],
  ["a wrong content type", "whole"],
  ["another status of 2xx", "whole"],
  // Real documents look like this, too
  ["1,000 bytes before the document begins", "whole"],
  ["80,000 NULs behind its end", "whole"],
  ["1,000 bytes of junk behind its end", "whole"],
  // Codings that nobody asked for
  ["gzip", "whole"],
  ["deflate", "whole"],
  ["brotli", "whole"],
];

export const faults = {};

for (const [fault, gets] of table) {
  faults[`a fault: ${fault}`] = async (stage) => {
    const uid = await stage.template(fault);
    const other = stage.facts.otherwise?.[fault];
    const phase = /^TimeoutError \((.+)\)$/.exec(other ?? gets)?.[1];
    const timeouts = { firstByte: long, stall: long, total: long, ...(phase && { [phase]: short }) };
    const pending = stage.client({ timeouts }).generate(uid, stage.values).bytes();
    equal(await outcomeOf(pending, stage), other ?? gets, "what comes of it");
    return other && `${fault}: ${other === "whole" ? "the whole document" : `\`${other}\``}`;
  };
}

async function outcomeOf(promise, stage) {
  try {
    isDocument(await promise, stage.document);
    return "whole";
  } catch (error) {
    if (TimeoutError.is(error)) return `TimeoutError (${error.phase})`;
    if (ApiError.is(error)) return `${error.name} ${error.status}`;
    return TemplatePdfError.is(error) ? error.name : `no error of ours: ${error}`;
  }
}
