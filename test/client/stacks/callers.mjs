// Code of a caller. Each function awaits on one line, and passes an error from the line before to `here`.

/** @typedef {(pdfs: any, call: any, here: (marker: Error) => void) => Promise<unknown>} Caller */

const methods = ["bytes", "buffer", "arrayBuffer", "blob", "saveTo", "stream", "nodeStream", "response"];

/** @param {string} method */
const argumentsOf = (method) => (method === "saveTo" ? ["stacks-of-callers.pdf"] : []);

/** @type {(method: string) => [string, Caller]} */
const outputOf = (method) => [
  `${method}()`,
  async (pdfs, call, here) => {
    here(new Error());
    await pdfs.generate(...call)[method](...argumentsOf(method));
  },
];

/** @type {Record<string, Caller>} */
export const pendingCallers = {
  "await generate()": async (pdfs, call, here) => {
    here(new Error());
    await pdfs.generate(...call);
  },
  ...Object.fromEntries(methods.map(outputOf)),
  "for await": async (pdfs, call, here) => {
    here(new Error());
    for await (const chunk of pdfs.generate(...call)) void chunk;
  },
};

/** @type {(method: string) => [string, Caller]} */
const outputOfDocument = (method) => [
  `${method}() of the document`,
  async (pdfs, call, here) => {
    const pdf = await pdfs.generate(...call);
    here(new Error());
    await pdf[method](...argumentsOf(method));
  },
];

/** @type {Record<string, Caller>} */
export const documentCallers = {
  ...Object.fromEntries(methods.slice(0, 5).map(outputOfDocument)),
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

/** @type {(generateMany: (pdfs: any, jobs: readonly object[]) => AsyncIterable<any>) => Caller} */
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
