import { ConfigurationError } from "../errors/errors.ts";
import { describeKind } from "../errors/value-kinds.ts";
import { isJsonObject } from "../json/json-value.ts";
import { Problem } from "./problem.ts";

/** What is held of a body at first, in bytes: most values fit. */
const smallestPiece = 16_384;

/**
 * Refuses with 415 a body that is not declared to be plain `application/json` in UTF-8.
 *
 * The spec names exactly this type ("Generate PDF from template"), so its relatives (`text/json`, `application/ld+json`) are
 * refused; parameters are allowed, of which only `charset` has a meaning here.
 */
export function checkJsonType(headers: Headers): void {
  const [type = "", ...parameters] = (headers.get("content-type") ?? "").toLowerCase().split(";");
  const charset = parameters.find((parameter) => parameter.trim().startsWith("charset="));
  if (type.trim() !== "application/json" || !/^\s*(?:charset="?utf-8"?\s*)?$/.test(charset ?? "")) {
    throw new Problem(
      415,
      'The template values must come as JSON in UTF-8. Send the header "Content-Type: application/json".',
      { kind: "unsupported-media-type", headers: { accept: "application/json" } },
    );
  }
  const coding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (coding !== "identity") {
    throw new Problem(415, "A compressed body is not read here. Send the JSON without a content-encoding.", {
      kind: "unsupported-media-type",
      headers: { "accept-encoding": "identity" },
    });
  }
}

/**
 * Reads the body of a request as one JSON object and never holds more than `maxBytes` of it.
 *
 * @param maxBytes - the most the body may measure, in bytes
 * @throws {Problem} 413 when it measures more, 400 when it breaks off or is not one JSON object in UTF-8.
 * @throws {ConfigurationError} when somebody on this side has read the body before.
 */
export async function readJsonObject(request: Request, maxBytes: number): Promise<Record<string, unknown>> {
  // The declared length is judged before a byte is read; it may lie, hence the count below.
  const declaredBytes = Number(request.headers.get("content-length") ?? 0);
  if (declaredBytes > maxBytes) throw tooLarge(maxBytes);
  if (request.bodyUsed) throw readBefore();
  const bytes = await readBytes(request.body, maxBytes);
  // A body that is shorter than declared breaks off; one that is empty was taken away on this side.
  if (bytes.length === 0 && declaredBytes > 0) throw readBefore();
  return parseJsonObject(bytes);
}

function readBefore(): ConfigurationError {
  return new ConfigurationError(
    "The body of the request was read before the endpoint could read it. Mount the endpoint before body parsers, such as express.json(), and leave the body alone in `authorize`.",
  );
}

/** Reads into one piece of memory: kept by themselves, the chunks of a body that comes byte by byte take 200 times as much. */
async function readBytes(body: Request["body"], maxBytes: number): Promise<Uint8Array> {
  if (body === null) return new Uint8Array(0);
  const reader = body.getReader();
  let bytes = new Uint8Array(Math.min(smallestPiece, maxBytes));
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((): never => {
      throw new Problem(400, "The body broke off before its end. Send the whole JSON object.", {
        kind: "body-broken-off",
      });
    });
    if (done) return bytes.subarray(0, length);
    const end = length + value.byteLength;
    if (end > maxBytes) {
      // Not awaited: a source that never confirms its cancelling must not hold up the answer.
      reader.cancel().catch(() => {});
      throw tooLarge(maxBytes);
    }
    if (end > bytes.length) {
      const larger = new Uint8Array(Math.min(Math.max(end, bytes.length * 2), maxBytes));
      larger.set(bytes.subarray(0, length));
      bytes = larger;
    }
    bytes.set(value, length);
    length = end;
  }
}

function parseJsonObject(bytes: Uint8Array): Record<string, unknown> {
  if (bytes.byteLength === 0) throw notJson("is empty", ", at least {}");
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // The parser's own message quotes the body.
    throw notJson("is not valid JSON in UTF-8");
  }
  if (!isJsonObject(value)) throw notJson(`is ${describeKind(value)}`);
  return value;
}

function notJson(wrong: string, least = ""): Problem {
  const detail = `The body ${wrong}. Send the template values as one JSON object${least}.`;
  return new Problem(400, detail, { kind: "body-not-json" });
}

function tooLarge(maxBytes: number): Problem {
  return new Problem(413, `The body is larger than the ${maxBytes} bytes allowed here. Send fewer values.`, {
    kind: "body-too-large",
  });
}
