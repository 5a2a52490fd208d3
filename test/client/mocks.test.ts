import { getEventListeners } from "node:events";
import { type DispatcherLike, TemplatePdf } from "template-pdf";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { pdfOf, rejectionOf } from "../support/service.ts";
import { forms, generate } from "./every-form.ts";
import { passTime, stopTime, withoutBackOff } from "./timing.ts";

const pdf = pdfOf(2_000);
const half = pdf.subarray(0, 1_000);
const never = Number.POSITIVE_INFINITY;

type Handler = Parameters<DispatcherLike["dispatch"]>[1];
type Controller = Parameters<Handler["onRequestStart"]>[0];

/** Says everything that it has to say before `dispatch` returns, as undici's `MockAgent` does. */
function saying(say: (handler: Handler, controller: Controller) => void): DispatcherLike {
  return {
    dispatch: (_, handler) => {
      const controller = {
        aborted: false,
        paused: false,
        reason: null,
        rawHeaders: [],
        abort: () => {},
        pause: () => {},
        resume: () => {},
      } as unknown as Controller;
      handler.onRequestStart(controller, {});
      say(handler, controller);
      return true;
    },
  };
}

const whole = saying((handler, controller) => {
  handler.onResponseStart(controller, 200, {});
  handler.onResponseData(controller, pdf);
  handler.onResponseEnd(controller, {});
});

const begun = saying((handler, controller) => {
  handler.onResponseStart(controller, 200, {});
  handler.onResponseData(controller, half);
});

function clientOf(dispatcher: DispatcherLike): TemplatePdf {
  return new TemplatePdf({ baseUrl: "https://pdf.example.com", apiKey: "key", retry: false, dispatcher });
}

/** A clock that goes on keeps the process from ending, for ten minutes. */
describe("a dispatcher that answers at once leaves no clock", () => {
  it.each(forms)("after %s", async (_, read) => {
    stopTime();
    const { signal } = new AbortController();
    const bytes = await read(generate(clientOf(whole), { signal }));
    expect([pdf.equals(bytes), vi.getTimerCount(), getEventListeners(signal, "abort")]).toEqual([
      true,
      0,
      [],
    ]);
  });

  it("after a document that nobody reads", async () => {
    stopTime();
    const { signal } = new AbortController();
    const document = await generate(clientOf(whole), { signal });
    expect([vi.getTimerCount(), getEventListeners(signal, "abort")]).toEqual([0, []]);
    expect(pdf.equals(await document.bytes())).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("after an error", async () => {
    stopTime();
    const refusing = saying((handler, controller) => {
      handler.onResponseStart(controller, 404, {});
      handler.onResponseEnd(controller, {});
    });
    expect(await rejectionOf(generate(clientOf(refusing)))).toMatchObject({ code: "not_found" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("but for the total of a document that it has begun, until that is whole", async () => {
    stopTime();
    const timeouts = { firstByte: never, stall: never, unread: never };
    const pending = generate(clientOf(begun), { timeouts });
    const failure = rejectionOf(pending.bytes());
    await pending;
    expect(vi.getTimerCount()).toBe(1);
    await pending.cancel("enough");
    expect(await failure).toBe("enough");
    expect(vi.getTimerCount()).toBe(0);
  });
});

it("a document that breaks at once is asked for again by the form that reads it, not by a second one", async () => {
  withoutBackOff();
  const answers = [
    saying((handler, controller) => {
      handler.onResponseStart(controller, 200, {});
      handler.onResponseData(controller, half);
      handler.onResponseError(controller, new Error("other side closed"));
    }),
    whole,
  ];
  let attempts = 0;
  const dispatcher: DispatcherLike = {
    dispatch: (options, handler) => answers[attempts++]?.dispatch(options, handler) ?? false,
  };
  const pending = generate(clientOf(dispatcher), { retry: { limit: 2 } });
  // The second comes to its end first.
  const [blob, bytes] = await Promise.allSettled([pending.blob(), pending.bytes()]);
  expect(blob).toMatchObject({ status: "fulfilled", value: { size: pdf.length } });
  expect(bytes).toMatchObject({ status: "rejected", reason: expect.any(TypeError) });
  expect(attempts).toBe(2);
});

/** As in the jsdom of Jest. */
it("an error needs no TextDecoder", async () => {
  vi.stubGlobal("TextDecoder", undefined);
  onTestFinished(() => void vi.unstubAllGlobals());
  const refusing = saying((handler, controller) => {
    handler.onResponseStart(controller, 401, {});
    handler.onResponseData(controller, Buffer.from("Not you, no café."));
    handler.onResponseEnd(controller, {});
  });
  expect(await rejectionOf(generate(clientOf(refusing)))).toMatchObject({
    code: "authentication_failed",
    rawBody: "Not you, no caf\ufffd\ufffd.",
  });
});

it.each(["stream()", "response()"])(
  "a document that had to wait for %s gives whoever reads it time, too",
  async (form) => {
    stopTime();
    const more = saying((handler, controller) => {
      handler.onResponseStart(controller, 200, {});
      handler.onResponseData(controller, pdfOf(200_000));
    });
    const document = await generate(clientOf(more), { timeouts: { stall: 1_000, unread: never } });
    const stream = form === "stream()" ? document.stream() : document.response().body;
    await passTime(3_600_000);
    expect(await stream?.getReader().read()).toMatchObject({ done: false, value: { length: 200_000 } });
    await document.cancel();
  },
);
