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
    `${called} takes a Uint8Array, a Buffer or an ArrayBuffer${others}, got a value of type ${tag}. ${adviceOn(given)}`,
  );
}

function adviceOn(given: unknown): string {
  if (typeof given === "string") {
    return "Bytes of a PDF do not survive as text: read the file or the answer as bytes.";
  }
  const { then, bytes, arrayBuffer } = Object(given) as Readonly<Record<string, unknown>>;
  if (typeof bytes === "function") return "Await its bytes() first.";
  if (typeof arrayBuffer === "function") return "Await its arrayBuffer() first.";
  return typeof then === "function" ? "Put `await` before it." : "Give the bytes of the document.";
}
