// What the checks ask of what they got. Plain errors, as some of these runtimes have no assertions of their own.

/** @throws when two things differ, as JSON has them */
export function equal(got, wanted, what = "this") {
  const [is, shouldBe] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (is !== shouldBe) throw new Error(`${what}: ${is}, not ${shouldBe}`);
}

/** @throws when something does not hold */
export function holds(condition, what) {
  if (!condition) throw new Error(what);
}

/** @throws when bytes are not the document that the service made */
export function isDocument(bytes, { byteLength, sum }) {
  equal([bytes.length, sumOf(bytes)], [byteLength, sum], "the document's length and sum");
}

/** What a promise rejects with. */
export async function rejectionOf(promise) {
  let value;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`It did not fail, and gave ${Object.prototype.toString.call(value)}.`);
}

/** What a function throws. */
export function thrownBy(call) {
  return rejectionOf((async () => call())());
}

/** A sum in which the place of every byte counts (Adler-32). */
export function sumOf(bytes) {
  let low = 1;
  let high = 0;
  for (const byte of bytes) {
    low = (low + byte) % 65_521;
    high = (high + low) % 65_521;
  }
  return high * 65_536 + low;
}

/** All bytes of a stream or a document, in one piece. */
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
