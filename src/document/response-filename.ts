import { safeFilename } from "../files/filenames.ts";
import { decodeValidUtf8 } from "../runtime/environment.ts";

/**
 * Returns a safe file name without a folder from `content-disposition`, or `undefined`. It reads what browsers read: RFC 6266 with the
 * encoding of RFC 8187, and also unquoted spaces, raw UTF-8, percent-encoding, and the encoded words of RFC 2047.
 *
 * @param disposition - as `fetch` reads it, one character for each byte
 * @param withoutKey - removes secrets before the name is shortened
 */
export function filenameOf(
  disposition: string | undefined,
  withoutKey: (name: string) => string,
): string | undefined {
  if (!disposition) return undefined;
  const parameters = readParameters(asBytes(disposition));
  const names = [decodeExtended(parameters.get("filename*")), decodePlain(parameters.get("filename"))];
  for (const name of names) {
    const bare = name && bareName(withoutKey(name));
    if (bare) return bare;
  }
  return undefined;
}

/** Mocks have headers with any character. */
function asBytes(header: string): string {
  const isText = /[^\0-\xff]/.test(header);
  return isText ? decodePercent(encodeURIComponent(header.replace(/\p{Surrogate}/gu, "_"))) : header;
}

/**
 * Reads pairs such as `name="quoted \" string"` or `name=any text`, separated by semicolons. If a name is repeated, its first value
 * counts. The first pair may stand in the place of `attachment`.
 */
function readParameters(disposition: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const [pair] of disposition.matchAll(/(?:"(?:[^"\\]|\\.)*"?|[^;"])+/gs)) {
    const [before = "", ...after] = pair.split("=");
    const [name, value] = [before.trim().toLowerCase(), after.join("=").trim()];
    // A closing quotation mark may be missing.
    const quoted = /^"((?:[^"\\]|\\.)*)/s.exec(value)?.[1];
    if (!parameters.has(name)) parameters.set(name, quoted?.replace(/\\(.)/gs, "$1") ?? value);
  }
  return parameters;
}

/** Decodes `UTF-8'en'%C2%A3%20rates`; `undefined` if it is malformed, so that `filename` is used. */
function decodeExtended(value = ""): string | undefined {
  const [, charset, text = ""] = /^([^']+)'[^']*'(.*)/s.exec(value) ?? [];
  return charset && !/%(?![\da-f]{2})/i.test(text) ? decodeBytes(decodePercent(text), charset) : undefined;
}

/** Decodes encoded words, such as `=?UTF-8?Q?caf=C3=A9?=`, and the text around them. */
function decodePlain(value = ""): string {
  const parts = value.split(/(=\?[^?\s]+\?[bq]\?[^?]*\?=)\s*/i);
  return parts.map((part, index) => (index % 2 === 1 && decodeWord(part)) || decodeRaw(part)).join("");
}

function decodeWord(word: string): string | undefined {
  const [, charset = "", encoding = "", text = ""] = word.split("?");
  try {
    const isBase64 = /b/i.test(encoding);
    const bytes = isBase64
      ? atob(text)
      : decodePercent(text.replaceAll("_", " ").replaceAll("%", "=25").replaceAll("=", "%"));
    return decodeBytes(bytes, charset);
  } catch {
    // Invalid base64.
    return undefined;
  }
}

/** Bytes that are not UTF-8 are Latin-1, so they stay as they are. */
function decodeRaw(text: string): string {
  const decoded = /%[\da-f]{2}/i.test(text) ? decodeBytes(decodePercent(text), "utf-8") : undefined;
  return decoded ?? decodeBytes(text, "utf-8") ?? text;
}

function decodePercent(text: string): string {
  return text.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** @returns `undefined` if the charset is unknown, or the bytes are not valid in it */
function decodeBytes(bytes: string, charset: string): string | undefined {
  try {
    const codes = Uint8Array.from(bytes, (byte) => byte.charCodeAt(0));
    // React Native has no `TextDecoder`.
    if (/^utf-?8$/i.test(charset)) return decodeValidUtf8(codes);
    return new TextDecoder(charset, { fatal: true }).decode(codes);
  } catch {
    return undefined;
  }
}

/** Removes the folder, because a name must not select one. */
function bareName(name: string): string | undefined {
  return safeFilename(name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1));
}
