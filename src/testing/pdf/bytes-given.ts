/**
 * The bytes that someone gave, whatever realm they come from: a test's page has classes of its own.
 *
 * @throws {TypeError} that says what to do about anything else
 */
export function bytesGiven(given: unknown, called: string, others = ""): Uint8Array {
  const tag = Object.prototype.toString.call(given).slice(8, -1);
  if (ArrayBuffer.isView(given) && tag === "Uint8Array") return given as Uint8Array;
  if (tag === "ArrayBuffer") return new Uint8Array(given as ArrayBuffer);
  throw new TypeError(
    `${called} takes a Uint8Array, a Buffer or an ArrayBuffer${others}, got ${described(given, tag)}`,
  );
}

function described(given: unknown, tag: string): string {
  if (given === null || given === undefined) return `${given}. Give the bytes of the document.`;
  if (typeof given === "string") {
    return "a string. Bytes of a PDF do not survive as text: read the file or the answer as bytes.";
  }
  if (typeof given !== "object" && typeof given !== "function")
    return `a ${typeof given}. Give the bytes of the document.`;
  const members = given as Readonly<Record<string, unknown>>;
  if (typeof members["bytes"] === "function") {
    const article = /^[AEIOU]/.test(tag) ? "an" : "a";
    const what = tag === "Object" ? "an object with bytes()" : `${article} ${tag}`;
    return `${what}. Await its bytes() first.`;
  }
  if (typeof members["arrayBuffer"] === "function") return `a ${tag}. Await its arrayBuffer() first.`;
  if (typeof members["then"] === "function") return "a promise. Put `await` before it.";
  if (Array.isArray(given)) return "an array. Join it, as Buffer.concat() does.";
  return tag === "Object"
    ? "an object. Give the bytes of the document."
    : `${tag}. Give the bytes of the document.`;
}
