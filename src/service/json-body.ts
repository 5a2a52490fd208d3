import { ConfigurationError } from "../errors/errors.ts";
import { describeKind, isBytes } from "../errors/value-kinds.ts";
import { isDeeperThan, isJsonObject, maxNesting, tooDeep } from "../json/json-value.ts";
import { nextLoopTurn, stepsPerTurn } from "../runtime/timers.ts";
import { Problem } from "./problem.ts";

/** The initial buffer size in bytes, which fits most values. */
const smallestPiece = 16_384;

/**
 * Refuses bodies that are not declared as `application/json` in UTF-8, with 415.
 *
 * The specification names exactly this type ("Generate PDF from template"), so `text/json` and `application/ld+json` are refused.
 * Parameters are allowed; only `charset` is checked.
 */
export function checkJsonType(headers: Headers): void {
  const [type = "", ...parameters] = (headers.get("content-type") ?? "").toLowerCase().split(";");
  const charset = parameters.find((parameter) => parameter.trim().startsWith("charset="));
  if (type.trim() !== "application/json" || !/^\s*(?:charset="?utf-8"?\s*)?$/.test(charset ?? "")) {
    throw new Problem(
      415,
      'The template values must be sent as JSON in UTF-8. Send the header "Content-Type: application/json".',
      { kind: "unsupported-media-type", headers: { accept: "application/json" } },
    );
  }
  const coding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (coding !== "identity") {
    throw new Problem(415, "Compressed bodies are not supported. Send the JSON without a content-encoding.", {
      kind: "unsupported-media-type",
      headers: { "accept-encoding": "identity" },
    });
  }
}

/**
 * Reads the body of a request as a JSON object, and holds at most `maxBytes` of it.
 *
 * @param maxBytes - the maximum size of the body in bytes
 * @throws {Problem} 413 if the body is larger, 400 if it is incomplete or not a JSON object in UTF-8, 422 if it is nested too
 * deeply for recursive functions, such as `JSON.stringify` or a schema.
 * @throws {ConfigurationError} if the body has already been read on this server.
 */
export async function readJsonObject(request: Request, maxBytes: number): Promise<Record<string, unknown>> {
  // The declared length is checked first. It may be wrong, so the bytes are counted below.
  const declaredBytes = Number(request.headers.get("content-length") ?? 0);
  if (declaredBytes > maxBytes) throw tooLarge(maxBytes);
  if (request.bodyUsed) throw readBefore();
  const bytes = await readBytes(request, maxBytes);
  // A body that is shorter than declared is incomplete. An empty one was read on this server.
  if (bytes.length === 0 && declaredBytes > 0) throw readBefore();
  return parseJsonObject(bytes);
}

function readBefore(): ConfigurationError {
  return new ConfigurationError(
    "The request body has already been read. Mount the endpoint before body parsers such as express.json(), and do not read the body in `authorize`.",
  );
}

/** Reads into one buffer. Separate chunks of a body that arrives byte by byte would take 200 times as much memory. */
async function readBytes({ body, signal }: Request, maxBytes: number): Promise<Uint8Array> {
  if (body === null) return new Uint8Array(0);
  const reader = body.getReader();
  let bytes = new Uint8Array(Math.min(smallestPiece, maxBytes));
  let length = 0;
  for (let reads = 1; ; reads++) {
    const { done, value } = await reader.read().catch((): never => {
      throw new Problem(400, "The body is incomplete. Send the whole JSON object.", {
        kind: "body-broken-off",
      });
    });
    // Chunks that are already there, and empty ones, must not keep timers and other requests waiting.
    if (reads % stepsPerTurn === 0) {
      await nextLoopTurn();
      signal.throwIfAborted();
    }
    if (done) return bytes.subarray(0, length);
    if (!isBytes(value)) throw notBytes(value);
    const end = length + value.byteLength;
    if (end > maxBytes) {
      // Not awaited, because a source that never confirms the cancellation must not delay the response.
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

/** The server created the request. A caller can only send bytes. */
function notBytes(chunk: unknown): ConfigurationError {
  return new ConfigurationError(
    `Expected the request body to contain Uint8Array chunks, got ${describeKind(chunk)}. Pass the Request object from your server.`,
  );
}

function parseJsonObject(bytes: Uint8Array): Record<string, unknown> {
  if (bytes.byteLength === 0) throw notJson("is empty", ", at least {}");
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // The message of the parser quotes the body.
    throw notJson("is not valid JSON in UTF-8");
  }
  if (!isJsonObject(value)) throw notJson(`is ${describeKind(value)}`);
  // Each level takes at least two characters.
  if (bytes.byteLength > 2 * maxNesting && isDeeperThan(value, maxNesting)) {
    throw new Problem(422, `The values object ${tooDeep}. Flatten it.`, { kind: "invalid-values" });
  }
  return value;
}

function notJson(wrong: string, least = ""): Problem {
  const detail = `The body ${wrong}. Send the template values as one JSON object${least}.`;
  return new Problem(400, detail, { kind: "body-not-json" });
}

function tooLarge(maxBytes: number): Problem {
  return new Problem(413, `The body is larger than ${maxBytes} bytes. Send less data.`, {
    kind: "body-too-large",
  });
}
