import { equal, holds, isDocument, rejectionOf } from "./expect.mjs";

const silent = "an answer that never begins";
const stalled = "the document stops in the middle, and the connection stays";

export const cancellation = {
  "a call that was given up before sends nothing": async (stage) => {
    const uid = await stage.template();
    const reason = new Error("Not wanted any more.");
    const signal = AbortSignal.abort(reason);
    const error = await rejectionOf(stage.client().generate(uid, stage.values, { signal }).bytes());
    holds(error === reason, `Not the caller's own reason: ${error}`);
    equal((await stage.seen(uid)).requests.length, 0, "how often the service was asked");
  },

  "a signal ends the wait for an answer, and the connection": async (stage) => {
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

  "a signal ends a document under way, and the connection": async (stage) => {
    const uid = await stage.template(stalled);
    const controller = new AbortController();
    const { signal } = controller;
    const reader = (await stage.client().generate(uid, stage.values, { signal }).stream()).getReader();
    // Browsers forget now and then to close a connection in the very moment in which its answer begins.
    holds((await reader.read()).value.length > 0, "An empty chunk.");
    const failure = rejectionOf(readToEnd(reader));
    const reason = new Error("Not wanted any more.");
    controller.abort(reason);
    holds((await failure) === reason, "Not the caller's own reason.");
    await stage.whenOver(uid);
  },

  "`cancel()` rejects with its reason, and ends the connection": async (stage) => {
    const uid = await stage.template(silent);
    const pending = stage.client().generate(uid, stage.values);
    const failure = rejectionOf(pending.bytes());
    await stage.whenAsked(uid);
    const reason = new Error("Not wanted any more.");
    await pending.cancel(reason);
    holds((await failure) === reason, "Not the caller's own reason.");
    await stage.whenOver(uid);
  },

  "leaving the loop ends the connection": async (stage) => {
    const uid = await stage.template(stalled);
    for await (const chunk of stage.client().generate(uid, stage.values)) {
      holds(chunk.length > 0, "An empty chunk.");
      break;
    }
    await stage.whenOver(uid);
  },

  "cancelling the stream ends the connection": async (stage) => {
    const uid = await stage.template(stalled);
    const stream = await stage.client().generate(uid, stage.values).stream();
    const reader = stream.getReader();
    holds((await reader.read()).value.length > 0, "An empty chunk.");
    await reader.cancel();
    await stage.whenOver(uid);
  },

  "leaving the block of an `await using` ends the connection": async (stage) => {
    const client = stage.client();
    const uid = await stage.template(stalled);
    {
      await using document = await client.generate(uid, stage.values);
      equal(document.status, 200, "the status");
      equal((await stage.seen(uid)).underWay, 1, "how many calls are under way");
    }
    await stage.whenOver(uid);
  },

  "a client that is closed lets go when its calls are done": async (stage) => {
    const client = stage.client();
    const pending = client.generate(await stage.template(), stage.values).bytes();
    await client.close();
    isDocument(await pending, stage.document);
  },
};

async function readToEnd(reader) {
  while (!(await reader.read()).done);
}
