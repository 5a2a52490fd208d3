// Prints what generating a document needs, in a process of its own: `node program.mjs <measurement>`.
import { createHook } from "node:async_hooks";
import { TemplatePdf } from "template-pdf";
import { collectGarbage } from "../../bench/shared/collect-garbage.mjs";
import { pdfOf } from "../../bench/shared/pdf-of.mjs";
import { values } from "../../bench/shared/values.mjs";

/** The parts of a handler of undici 7 that are used here. */
interface Handler {
  onRequestStart(controller: object): void;
  onResponseStart(controller: object, status: number, headers: Readonly<Record<string, string>>): void;
  onResponseData(controller: object, chunk: Uint8Array): void;
  onResponseEnd(controller: object): void;
}

const pdf = pdfOf(2_000);
const controller = { pause() {}, resume() {}, abort() {} };
const headers = {
  "content-type": "application/pdf",
  "content-length": String(pdf.length),
  "x-request-id": "guarded",
};

/** Holds references to requests, as a connection does. */
const unanswered: Handler[] = [];
let isAnswered = true;

/** Responds from memory in a microtask, so that the measurements contain only what the client uses. */
const dispatcher = {
  dispatch(_options: object, handler: Handler) {
    handler.onRequestStart(controller);
    if (isAnswered) queueMicrotask(() => answer(handler));
    else unanswered.push(handler);
    return true;
  },
};
function answer(handler: Handler): void {
  handler.onResponseStart(controller, 200, headers);
  handler.onResponseData(controller, pdf);
  handler.onResponseEnd(controller);
}

const client = new TemplatePdf({
  baseUrl: "https://pdf.example.com",
  apiKey: "key-of-the-guards",
  dispatcher,
});

const call = () => client.generate("invoice", values).bytes();

/** Generates a number of documents, one after the other. */
async function getMany(documents: number): Promise<void> {
  for (let left = documents; left > 0; left--) await call();
}

const measurements = {
  /** The number of promises per document, rounded, because the loop creates a few more. */
  async promises(documents = 1_000) {
    await getMany(documents);
    let promises = 0;
    const hook = createHook({
      init(_id, type) {
        if (type === "PROMISE") promises++;
      },
    }).enable();
    await getMany(documents);
    hook.disable();
    return Math.round(promises / documents);
  },

  /** The bytes per document on the heap and outside the heap. Garbage must not be collected meanwhile. */
  async allocated(documents = 2_000) {
    await getMany(documents);
    const before = process.memoryUsage();
    await getMany(documents);
    const after = process.memoryUsage();
    return {
      heap: Math.round((after.heapUsed - before.heapUsed) / documents),
      outside: Math.round((after.arrayBuffers - before.arrayBuffers) / documents),
    };
  },

  /** The bytes on the heap that a call holds while it waits for the response. */
  async held(inFlight = 1_000) {
    isAnswered = false;
    const sendMany = async () => {
      for (let left = inFlight; left > 0; left--) void call();
      // Requests are sent at the end of the turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      collectGarbage();
    };
    await sendMany();
    const before = process.memoryUsage().heapUsed;
    await sendMany();
    return Math.round((process.memoryUsage().heapUsed - before) / inFlight);
  },
};

export type Measurement = keyof typeof measurements;

console.log(JSON.stringify(await measurements[process.argv[2] as Measurement]()));
process.exit();
