// Code of a caller. Each function awaits on one line, and passes an error from the line before to `here`.

/** @typedef {(pdfs: any, call: any, here: (marker: Error) => void) => Promise<unknown>} Caller */

/**
 * A caller of an output method of the pending result.
 *
 * @param {string} method
 * @param {...string} args
 * @returns {Caller}
 */
const outputOf =
  (method, ...args) =>
  async (pdfs, call, here) => {
    here(new Error());
    await pdfs.generate(...call)[method](...args);
  };

/**
 * Callers that use a pending result, by what they await.
 *
 * @type {Record<string, Caller>}
 */
export const pendingCallers = {
  "await generate()": async (pdfs, call, here) => {
    here(new Error());
    await pdfs.generate(...call);
  },
  "bytes()": outputOf("bytes"),
  "buffer()": outputOf("buffer"),
  "arrayBuffer()": outputOf("arrayBuffer"),
  "blob()": outputOf("blob"),
  "stream()": outputOf("stream"),
  "nodeStream()": outputOf("nodeStream"),
  "response()": outputOf("response"),
  "saveTo()": outputOf("saveTo", "stacks-of-callers.pdf"),
  "for await": async (pdfs, call, here) => {
    here(new Error());
    for await (const chunk of pdfs.generate(...call)) void chunk;
  },
};

/**
 * A caller of an output method of the awaited document.
 *
 * @param {string} method
 * @param {...string} args
 * @returns {Caller}
 */
const outputOfDocument =
  (method, ...args) =>
  async (pdfs, call, here) => {
    const pdf = await pdfs.generate(...call);
    here(new Error());
    await pdf[method](...args);
  };

/**
 * Callers of the document itself.
 *
 * @type {Record<string, Caller>}
 */
export const documentCallers = {
  "bytes() of the document": outputOfDocument("bytes"),
  "buffer() of the document": outputOfDocument("buffer"),
  "arrayBuffer() of the document": outputOfDocument("arrayBuffer"),
  "blob() of the document": outputOfDocument("blob"),
  "saveTo() of the document": outputOfDocument("saveTo", "stacks-of-callers.pdf"),
  "for await of the document": async (pdfs, call, here) => {
    const pdf = await pdfs.generate(...call);
    here(new Error());
    for await (const chunk of pdf) void chunk;
  },
};

/**
 * Callers that pass the promise through other promises before they await it.
 *
 * @type {Record<string, Caller>}
 */
export const indirectCallers = {
  "a promise that is stored and awaited while the call is in flight": async (pdfs, call, here) => {
    const bytes = pdfs.generate(...call).bytes();
    here(new Error());
    await bytes;
  },
  "Promise.all of pending results": async (pdfs, call, here) => {
    here(new Error());
    await Promise.all([pdfs.generate(...call), new Promise(() => {})]);
  },
  "Promise.race": async (pdfs, call, here) => {
    here(new Error());
    await Promise.race([pdfs.generate(...call).bytes(), new Promise(() => {})]);
  },
  "catch() that throws the error again": async (pdfs, call, here) => {
    const rethrow = (/** @type {unknown} */ error) => Promise.reject(error);
    here(new Error());
    await pdfs.generate(...call).catch(rethrow);
  },
  "finally()": async (pdfs, call, here) => {
    const buffer = () => pdfs.generate(...call).buffer();
    here(new Error());
    await buffer().finally(() => {});
  },
  "an async function that returns the promise": async (pdfs, call, here) => {
    const bytesOf = async () => pdfs.generate(...call).bytes();
    here(new Error());
    await bytesOf();
  },
};

/** Outputs that are returned when the document begins. They have been awaited when a later error occurs. */
export const streams = ["await generate()", "stream()", "nodeStream()", "response()"];

/**
 * A caller that iterates over a bulk run.
 *
 * @param {(pdfs: any, jobs: readonly object[]) => AsyncIterable<any>} generateMany
 * @returns {Caller}
 */
export const loopOver = (generateMany) => async (pdfs, call, here) => {
  const [template, values] = call;
  let failure;
  here(new Error());
  for await (const { error } of generateMany(pdfs, [{ template, values }])) failure = error;
  throw failure;
};

/**
 * Returns the error of a caller's call.
 *
 * @param {Caller} caller
 * @param {unknown} pdfs
 * @param {readonly unknown[]} call
 * @returns {Promise<{ error: any, marker: string }>} the error, and the stack of the line before the one that failed
 */
export async function failureOf(caller, pdfs, call) {
  let marker = "";
  try {
    await caller(pdfs, call, (error) => {
      marker = error.stack ?? "";
    });
  } catch (error) {
    return { error, marker };
  }
  throw new Error("This was expected to fail.");
}
