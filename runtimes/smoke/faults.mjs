import { ApiError, TemplatePdfError, TimeoutError } from "template-pdf";
import { equal, isDocument } from "./expect.mjs";

/** Timeouts in milliseconds: `short` for the timeout that a fault should reach, `long` for the others. */
const short = 300;
const long = 20_000;

/**
 * Faults of docs/reports/faults.md that transports report in their own ways, with their outcomes without retries.
 * `facts.otherwise` contains the outcomes that differ in a runtime.
 */
const table = [
  ["the connection is reset before a response", "ConnectionError"],
  ["a response that is not HTTP", "ConnectionError"],
  ["a response that never begins", "TimeoutError (firstByte)"],
  ["103 Early Hints, twice", "whole"],
  ["302 to another address", "ApiError 302"],
  ["the document stalls in the middle, and the connection stays open", "TimeoutError (stall)"],
  ["closed after the headers", "TruncatedPdfError"],
  ["a chunk whose size is not a number", "TruncatedPdfError"],
  ["truncated gzip", "TruncatedPdfError"],
  ["HTTP/1.0, which ends with the connection", "whole"],
  ["gzip", "whole"],
  ["deflate", "whole"],
  ["brotli", "whole"],
];

export const faults = {};

for (const [fault, expected] of table) {
  faults[`a fault: ${fault}`] = async (stage) => {
    const uid = await stage.template(fault);
    const other = stage.facts.otherwise?.[fault];
    const phase = /^TimeoutError \((.+)\)$/.exec(other ?? expected)?.[1];
    const timeouts = { firstByte: long, stall: long, total: long, ...(phase && { [phase]: short }) };
    const pending = stage.client({ timeouts }).generate(uid, stage.values).bytes();
    equal(await outcomeOf(pending, stage), other ?? expected, "the outcome");
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
    return TemplatePdfError.is(error) ? error.name : `not a TemplatePdfError: ${error}`;
  }
}
