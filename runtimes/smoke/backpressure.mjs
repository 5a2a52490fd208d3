import { equal, holds, sumOf } from "./expect.mjs";

/** How often nothing may move, between one look at the service and the next, before that is a standstill. */
const looks = 50;

/** How many bytes the service could send until nothing moved any more. */
async function standstill(stage, uid) {
  let { sentBytes } = await stage.seen(uid);
  for (let still = 0; still < looks; ) {
    const now = await stage.seen(uid);
    still = now.sentBytes === sentBytes ? still + 1 : 0;
    sentBytes = now.sentBytes;
  }
  return sentBytes;
}

export const backpressure = {
  "nobody reads: the service has to wait, and later the rest comes": async (stage) => {
    const { facts, large } = stage;
    const uid = await stage.template("a large document");
    const reader = (await stage.client().generate(uid, stage.values).stream()).getReader();
    const chunks = [(await reader.read()).value];
    const sentBytes = await standstill(stage, uid);
    const ceiling = facts.mostUnreadBytes ?? large.byteLength;
    holds(sentBytes <= ceiling, `The service could send ${sentBytes} bytes, and not ${ceiling} at most.`);
    for (let read = await reader.read(); !read.done; read = await reader.read()) chunks.push(read.value);
    let sum = 0;
    for (const { length } of chunks) sum += length;
    equal(sum, large.byteLength, "the length of the document");
  },

  "nobody asks for the awaited document: the service has to wait": async (stage) => {
    const { facts, large } = stage;
    const uid = await stage.template("a large document");
    const document = await stage.client().generate(uid, stage.values);
    const sentBytes = await standstill(stage, uid);
    const ceiling = facts.mostUnreadBytes ?? large.byteLength;
    holds(sentBytes <= ceiling, `The service could send ${sentBytes} bytes, and not ${ceiling} at most.`);
    const bytes = await document.bytes();
    equal([bytes.length, sumOf(bytes)], [large.byteLength, large.sum], "the document");
  },
};
