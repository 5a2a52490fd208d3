import { equal, holds, sumOf } from "./expect.mjs";

/** How often nothing may move, between one look at the service and the next, before that is a standstill. */
const looks = 50;

/**
 * Waits until the service can send no more of an endless document.
 *
 * @returns what a runtime says of itself that never lets it come to that
 */
async function standstill(stage, uid) {
  const { mostUnreadBytes } = stage.facts;
  if (mostUnreadBytes === undefined) return "takes in all that comes, however slowly it is read";
  for (let still = 0, before = -1; still < looks; ) {
    const { sentBytes } = await stage.seen(uid);
    holds(sentBytes <= mostUnreadBytes, `The service could send ${sentBytes} bytes and more.`);
    still = sentBytes === before ? still + 1 : 0;
    before = sentBytes;
  }
  return undefined;
}

export const backpressure = {
  "nobody reads the stream: the service has to wait": async (stage) => {
    const uid = await stage.template("an endless document");
    const reader = (await stage.client().generate(uid, stage.values).stream()).getReader();
    holds((await reader.read()).value.length > 0, "An empty chunk.");
    const byDesign = await standstill(stage, uid);
    await reader.cancel();
    await stage.whenOver(uid);
    return byDesign;
  },

  "nobody asks for the awaited document: the service has to wait": async (stage) => {
    const uid = await stage.template("an endless document");
    const document = await stage.client().generate(uid, stage.values);
    const byDesign = await standstill(stage, uid);
    await document.cancel();
    await stage.whenOver(uid);
    return byDesign;
  },

  "what had to wait comes when it is asked for": async (stage) => {
    const document = await stage.client().generate(await stage.template("a large document"), stage.values);
    const bytes = await document.bytes();
    equal([bytes.length, sumOf(bytes)], [stage.document.byteLength, stage.document.sum], "the document");
  },

  "a large document is read by one who is slow": async (stage) => {
    const uid = await stage.template("a large document");
    let bytes = 0;
    let chunks = 0;
    for await (const chunk of stage.client().generate(uid, stage.values)) {
      bytes += chunk.length;
      chunks += 1;
      // A way to the service and back, now and then.
      if (chunks % 16 === 1) await stage.seen(uid);
    }
    equal(bytes, stage.document.byteLength, "the length");
  },
};
