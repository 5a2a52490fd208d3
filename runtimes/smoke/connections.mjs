import { equal, holds, isDocument, rejectionOf } from "./expect.mjs";

const silent = "an answer that never begins";
const stalled = "the document stalls in the middle, and the connection stays open";

/** How often the service must have sent nothing more, from one look to the next, to be at a standstill. */
const looks = 50;

/** Requests a document that stops in the middle, and reads its first chunk. */
async function readFirst(stage, uid, options) {
  const stream = await stage.client().generate(uid, stage.values, options).stream();
  const reader = stream.getReader();
  // Before that, browsers sometimes keep the connection of an aborted request open.
  holds((await reader.read()).value.length > 0, "An empty chunk.");
  return reader;
}

async function readToEnd(reader) {
  while (!(await reader.read()).done);
}

export const connections = {
  "a client retries a 429 after Retry-After, and calls its hooks": async (stage) => {
    const heard = [];
    const hooks = {
      request: ({ attempt }) => heard.push(`request ${attempt}`),
      response: ({ status }) => heard.push(`response ${status}`),
      retry: ({ error, delayMs }) => heard.push(`retry ${error.code} ${delayMs}`),
    };
    const uid = await stage.template("429 that asks to wait no time", 1);
    const pdf = await stage.client({ retry: { limit: 2 }, hooks }).generate(uid, stage.values);
    isDocument(await pdf.bytes(), stage.document);
    equal(pdf.attempts, 2, "the attempts");
    const events = ["request 1", "response 429", "retry rate_limited 0", "request 2", "response 200"];
    equal(heard, events, "the events");
  },

  "a client retries a truncated response": async (stage) => {
    const uid = await stage.template("the connection ends in the middle of the document", 1);
    const client = stage.client({ retry: { limit: 1 } });
    isDocument(await client.generate(uid, stage.values).bytes(), stage.document);
    equal((await stage.seen(uid)).requests.length, 2, "the number of requests");
  },

  "a client replaces a kept connection that is reset under the next request": async (stage) => {
    const uid = await stage.template("the kept connection is reset under every second request");
    const client = stage.client({ retry: { limit: 2 } });
    for (let at = 0; at < 4; at++)
      isDocument(await client.generate(uid, stage.values).bytes(), stage.document);
    await client.close();
  },

  "a signal ends the wait for a response, and the connection": async (stage) => {
    const uid = await stage.template(silent);
    const controller = new AbortController();
    const { signal } = controller;
    const failure = rejectionOf(stage.client().generate(uid, stage.values, { signal }).bytes());
    await stage.whenAsked(uid);
    const reason = { why: "The person has left." };
    controller.abort(reason);
    holds((await failure) === reason, "Not the caller's own reason.");
    await stage.whenOver(uid);
  },

  "a signal ends a response that is being read, and the connection": async (stage) => {
    const uid = await stage.template(stalled);
    const controller = new AbortController();
    const reader = await readFirst(stage, uid, { signal: controller.signal });
    const failure = rejectionOf(readToEnd(reader));
    const reason = new Error("Not wanted any more.");
    controller.abort(reason);
    holds((await failure) === reason, "Not the caller's own reason.");
    await stage.whenOver(uid);
  },

  "leaving a loop over the document ends the connection": async (stage) => {
    const uid = await stage.template(stalled);
    for await (const chunk of stage.client().generate(uid, stage.values)) {
      holds(chunk.length > 0, "An empty chunk.");
      break;
    }
    await stage.whenOver(uid);
  },

  "leaving the block of an `await using` ends the connection": async (stage) => {
    const uid = await stage.template(stalled);
    {
      await using pdf = await stage.client().generate(uid, stage.values);
      equal(pdf.status, 200, "the status");
      equal((await stage.seen(uid)).underWay, 1, "the number of calls in flight");
    }
    await stage.whenOver(uid);
  },

  "the service has to wait while nobody reads the stream": async (stage) => {
    const uid = await stage.template("an endless document");
    const reader = await readFirst(stage, uid);
    const { mostUnreadBytes } = stage.facts;
    for (let still = 0, before = -1; mostUnreadBytes !== undefined && still < looks; ) {
      const { sentBytes } = await stage.seen(uid);
      holds(sentBytes <= mostUnreadBytes, `The service could send ${sentBytes} bytes and more.`);
      still = sentBytes === before ? still + 1 : 0;
      before = sentBytes;
    }
    await reader.cancel();
    await stage.whenOver(uid);
    return mostUnreadBytes === undefined ? "takes in all that comes, however slowly it is read" : undefined;
  },

  "a document that had to wait arrives whole when it is read": async (stage) => {
    const pdf = await stage.client().generate(await stage.template("a large document"), stage.values);
    isDocument(await pdf.bytes(), stage.document);
  },
};
