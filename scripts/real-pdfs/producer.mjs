// @ts-check

/**
 * Which program wrote a PDF, as far as it says so in plain bytes: many keep it in a compressed or encrypted object.
 *
 * @param {Buffer} bytes
 * @returns {string | undefined} its name without the version
 */
export function producerOf(bytes) {
  const text = bytes.toString("latin1");
  const named =
    literal(/\/Producer\s*\(((?:[^()\\]|\\[\s\S]|\([^()]*\))*)\)/.exec(text)?.[1]) ??
    hexadecimal(/\/Producer\s*<([0-9A-Fa-f\s]*)>/.exec(text)?.[1]) ??
    utf8(/<pdf:Producer>([^<]*)</.exec(text)?.[1]) ??
    utf8(/\spdf:Producer=["']([^"']*)["']/.exec(text)?.[1]);
  if (named === undefined) return undefined;
  const plain = named.replaceAll(/\s+/g, " ").trim();
  // The same program in its many versions counts once.
  const name = plain.replace(/[\s\-_(,/]*\bv?(?:ersion|\d)[\s\S]*$/i, "").trim() || plain;
  // What is encrypted looks like this.
  return /^[\x20-\x7e\xa0-\xff\u0100-\uffff]{2,}$/.test(name) && /[a-z]{2}/i.test(name)
    ? name.slice(0, 60)
    : undefined;
}

/**
 * @param {string | undefined} string - between its brackets
 * @returns {string | undefined}
 */
function literal(string) {
  if (string === undefined) return undefined;
  const plain = string
    .replaceAll(/\\([0-7]{1,3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)))
    .replaceAll(/\\\r?\n/g, "")
    .replaceAll(/\\([\s\S])/g, "$1");
  return plain === "" ? undefined : decode(Buffer.from(plain, "latin1"));
}

/**
 * @param {string | undefined} digits
 * @returns {string | undefined}
 */
function hexadecimal(digits) {
  return digits ? decode(Buffer.from(digits.replaceAll(/\s/g, ""), "hex")) : undefined;
}

/**
 * @param {string | undefined} xml - its bytes
 * @returns {string | undefined}
 */
function utf8(xml) {
  return xml === undefined ? undefined : Buffer.from(xml, "latin1").toString("utf8");
}

/**
 * @param {Buffer} bytes - a text string of ISO 32000-1, 7.9.2.2
 * @returns {string}
 */
function decode(bytes) {
  if (bytes[0] !== 0xfe || bytes[1] !== 0xff) return bytes.toString("latin1");
  return bytes
    .subarray(2, bytes.length - (bytes.length % 2))
    .swap16()
    .toString("utf16le");
}
