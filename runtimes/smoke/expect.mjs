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
export async function rejectionOf(promise) {
  let value;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`It did not fail, and returned ${Object.prototype.toString.call(value)}.`);
}

/** Returns what a function throws. */
export function thrownBy(call) {
  return rejectionOf((async () => call())());
}

/** Returns the Adler-32 checksum, which depends on the order of bytes. */
export function sumOf(bytes) {
  let low = 1;
  let high = 0;
  for (const byte of bytes) {
    low = (low + byte) % 65_521;
    high = (high + low) % 65_521;
  }
  return high * 65_536 + low;
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
  const whole = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of all) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
