/**
 * Returns the bytes of a value from any realm: test environments have their own classes.
 *
 * @throws {TypeError} for other values, with advice
 */
export function bytesGiven(given: unknown, called: string, others = ""): Uint8Array {
  const tag = Object.prototype.toString.call(given).slice(8, -1);
  if (ArrayBuffer.isView(given) && tag === "Uint8Array") return given as Uint8Array;
  if (tag === "ArrayBuffer") return new Uint8Array(given as ArrayBuffer);
  throw new TypeError(
    `Expected a Uint8Array, a Buffer or an ArrayBuffer${others} for ${called}, got a value of type ${tag}. ${adviceOn(given)}`,
  );
}

function adviceOn(given: unknown): string {
  if (typeof given === "string") {
    return "A string corrupts the bytes of a PDF: read the file or the response as bytes.";
  }
  const { then, bytes, arrayBuffer } = Object(given) as Readonly<Record<string, unknown>>;
  if (typeof bytes === "function") return "Await its bytes() first.";
  if (typeof arrayBuffer === "function") return "Await its arrayBuffer() first.";
  return typeof then === "function" ? "Put `await` before it." : "Pass the bytes of the document.";
}
