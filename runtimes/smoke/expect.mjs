// Assertions for the checks. They throw plain errors, because some runtimes have no assertion library.

/** Throws if the JSON of two values differs. */
export function equal(value, wanted, what = "this") {
  const [actual, expected] = [JSON.stringify(value), JSON.stringify(wanted)];
  if (actual !== expected) throw new Error(`${what}: ${actual} instead of ${expected}`);
}

/** Throws if a condition is false. */
export function holds(condition, what) {
  if (!condition) throw new Error(what);
}

/** Throws if bytes are not the document that the service sent. */
export function isDocument(bytes, { byteLength, sum }) {
  equal([bytes.length, sumOf(bytes)], [byteLength, sum], "the document's length and sum");
}

/** Returns the rejection of a promise. */
export function rejectionOf(promise) {
  const failed = (value) => {
    throw new Error(`It did not fail, and returned ${Object.prototype.toString.call(value)}.`);
  };
  return promise.then(failed, (error) => error);
}

/** Returns a checksum that depends on the order of bytes. */
export function sumOf(bytes) {
  return bytes.reduce((sum, byte) => (sum * 31 + byte) % 4_294_967_291, 7);
}

/** Returns all bytes of a stream or a document. */
export async function gather(chunks) {
  const all = [];
  if (Symbol.asyncIterator in chunks) {
    for await (const chunk of chunks) all.push(chunk);
  } else {
    // Not every runtime can iterate a web stream.
    const reader = chunks.getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) all.push(read.value);
  }
  return new Uint8Array(await new Blob(all).arrayBuffer());
}
