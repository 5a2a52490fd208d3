import { equal, holds, isDocument, rejectionOf } from "./expect.mjs";

const silent = "a response that never begins";
const stalled = "the document stalls in the middle, and the connection stays open";

/** The service counts as stopped after this number of checks without new bytes. */
const stableChecks = 50;

/** Requests a document that stops in the middle, and reads its first chunk. */
async function readFirst(stage, uid, options) {
  const stream = await stage.client().generate(uid, stage.values, options).stream();
  const reader = stream.getReader();
  // Browsers sometimes keep the connection open if a request is aborted before its first chunk.
  holds((await reader.read()).value.length > 0, "The chunk is empty.");
  return reader;
}

async function readToEnd(reader) {
  while (!(await reader.read()).done);
}

export const connections = {
  "a client retries a 429 after Retry-After, and calls its hooks": async (stage) => {
    const events = [];
    const hooks = {
      request: ({ attempt }) => events.push(`request ${attempt}`),
      response: ({ status }) => events.push(`response ${status}`),
      retry: ({ error, delayMs }) => events.push(`retry ${error.code} ${delayMs}`),
    };
    const uid = await stage.template("429 that asks to wait no time", 1);
    const pdf = await stage.client({ retry: { limit: 2 }, hooks }).generate(uid, stage.values);
    isDocument(await pdf.bytes(), stage.document);
    equal(pdf.attempts, 2, "the attempts");
    const expected = ["request 1", "response 429", "retry rate_limited 0", "request 2", "response 200"];
    equal(events, expected, "the events");
  },

  "a client replaces a kept connection that is reset during the next request": async (stage) => {
    const uid = await stage.template("the kept connection is reset under every second request");
    const client = stage.client({ retry: { limit: 2 } });
    for (let at = 0; at < 4; at++)
      isDocument(await client.generate(uid, stage.values).bytes(), stage.document);
    await client.close();
  },

  "a signal aborts the wait for a response and the reading of a document": async (stage) => {
    for (const fault of [silent, stalled]) {
      const uid = await stage.template(fault);
      const controller = new AbortController();
      const { signal } = controller;
      const reading =
        fault === silent
          ? stage.client().generate(uid, stage.values, { signal }).bytes()
          : readToEnd(await readFirst(stage, uid, { signal }));
      const failure = rejectionOf(reading);
      await stage.whenRequested(uid);
      const reason = { why: "The user left." };
      controller.abort(reason);
      holds((await failure) === reason, "The rejection is not the reason of the signal.");
      await stage.whenFinished(uid);
    }
  },

  "leaving the block of an `await using` declaration ends the connection": async (stage) => {
    const uid = await stage.template(stalled);
    {
      await using pdf = await stage.client().generate(uid, stage.values);
      equal(pdf.status, 200, "the status");
      equal((await stage.seen(uid)).inFlight, 1, "the number of calls in flight");
    }
    await stage.whenFinished(uid);
  },

  "an unread stream applies backpressure to the service": async (stage) => {
    const uid = await stage.template("an endless document");
    const reader = await readFirst(stage, uid);
    const { mostUnreadBytes } = stage.facts;
    for (let still = 0, before = -1; mostUnreadBytes !== undefined && still < stableChecks; ) {
      const { sentBytes } = await stage.seen(uid);
      holds(sentBytes <= mostUnreadBytes, `The service could send ${sentBytes} bytes or more.`);
      still = sentBytes === before ? still + 1 : 0;
      before = sentBytes;
    }
    await reader.cancel();
    await stage.whenFinished(uid);
    return mostUnreadBytes === undefined
      ? "receives the complete response, even if it is read slowly"
      : undefined;
  },
};
