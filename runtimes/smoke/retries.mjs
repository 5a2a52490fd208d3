import { RateLimitError, TruncatedPdfError } from "template-pdf";
import { equal, gather, holds, isDocument, rejectionOf } from "./expect.mjs";

const cutOff = "the connection ends in the middle of the document";
const atOnce = "429 that asks to wait no time";

export const retries = {
  "429 with `Retry-After` is asked again, and the hooks hear of it": async (stage) => {
    const heard = [];
    const hooks = {
      request: ({ attempt }) => heard.push(`request ${attempt}`),
      response: ({ status }) => heard.push(`response ${status}`),
      retry: ({ error, delayMs }) => heard.push(`retry ${error.code} ${delayMs}`),
    };
    const uid = await stage.template(atOnce, 1);
    const document = await stage.client({ retry: { limit: 2 }, hooks }).generate(uid, stage.values);
    isDocument(await document.bytes(), stage.document);
    equal(document.attempts, 2, "the attempts");
    equal(
      heard,
      ["request 1", "response 429", "retry rate_limited 0", "request 2", "response 200"],
      "what the hooks heard",
    );
  },

  "what does not pass is told when the tries are used up": async (stage) => {
    const uid = await stage.template(atOnce);
    const error = await rejectionOf(
      stage
        .client({ retry: { limit: 2 } })
        .generate(uid, stage.values)
        .bytes(),
    );
    holds(RateLimitError.is(error), `Not a RateLimitError: ${error}`);
    equal([error.attempts, (await stage.seen(uid)).requests.length], [3, 3], "attempts and requests");
  },

  "a document that breaks off is asked for again": async (stage) => {
    const uid = await stage.template(cutOff, 1);
    isDocument(
      await stage
        .client({ retry: { limit: 1 } })
        .generate(uid, stage.values)
        .bytes(),
      stage.document,
    );
    equal((await stage.seen(uid)).requests.length, 2, "how often the service was asked");
  },

  "who has seen a part of a document gets an error, and no second one": async (stage) => {
    const uid = await stage.template("the document stops in the middle, and the connection stays");
    const stream = await stage
      .client({ retry: { limit: 1 } })
      .generate(uid, stage.values)
      .stream();
    const reader = stream.getReader();
    holds((await reader.read()).value.length > 0, "An empty chunk.");
    await stage.breakOff(uid);
    reader.releaseLock();
    const error = await rejectionOf(gather(stream));
    holds(TruncatedPdfError.is(error), `Not a TruncatedPdfError: ${error}`);
    equal((await stage.seen(uid)).requests.length, 1, "how often the service was asked");
  },

  "what may have been rendered is not asked for twice where that is said": async (stage) => {
    const uid = await stage.template("503", 1);
    const retry = { limit: 2, mayRenderTwice: false };
    const error = await rejectionOf(stage.client({ retry }).generate(uid, stage.values).bytes());
    equal([error.status, error.attempts], [503, 1], "status and attempts");
    equal((await stage.seen(uid)).requests.length, 1, "how often the service was asked");
  },

  "a kept connection that dies under the next request is made anew": async (stage) => {
    const uid = await stage.template("the kept connection is reset under every second request");
    const client = stage.client({ retry: { limit: 2 } });
    for (let at = 0; at < 4; at++) {
      isDocument(await client.generate(uid, stage.values).bytes(), stage.document);
    }
    await client.close();
  },
};
