import { getEventListeners } from "node:events";
import { type DispatcherLike, TemplatePdf } from "template-pdf";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { pdfOf, rejectionOf } from "../support/service.ts";
import { generate, outputMethods } from "./every-form.ts";
import { passTime, stopTime, withoutBackOff } from "./timing.ts";

const pdf = pdfOf(2_000);
const half = pdf.subarray(0, 1_000);
const never = Number.POSITIVE_INFINITY;

type Handler = Parameters<DispatcherLike["dispatch"]>[1];
type Controller = Parameters<Handler["onRequestStart"]>[0];

/** Creates a dispatcher that responds before `dispatch` returns, as undici's `MockAgent` does. */
function saying(
  status: number,
  body: Uint8Array,
  close: (handler: Handler, controller: Controller) => void = (handler, controller) =>
    handler.onResponseEnd(controller, {}),
): DispatcherLike {
  const nothing = () => {};
  const methods = { abort: nothing, pause: nothing, resume: nothing };
  return {
    dispatch: (_, handler) => {
      const state = { aborted: false, paused: false, reason: null, rawHeaders: [] };
      const controller = { ...state, ...methods } as unknown as Controller;
      handler.onRequestStart(controller, {});
      handler.onResponseStart(controller, status, {});
      if (body.length > 0) handler.onResponseData(controller, body);
      close(handler, controller);
      return true;
    },
  };
}

const completePdf = saying(200, pdf);
const started = saying(200, half, () => {});

function clientOf(dispatcher: DispatcherLike): TemplatePdf {
  return new TemplatePdf({ baseUrl: "https://pdf.example.com", apiKey: "key", retry: false, dispatcher });
}

/** A remaining timer would prevent the process from exiting for ten minutes. */
describe("a dispatcher that responds synchronously leaves no timer", () => {
  it.each(outputMethods)("after %s", async (_, read) => {
    stopTime();
    const { signal } = new AbortController();
    const bytes = await read(generate(clientOf(completePdf), { signal }));
    expect([pdf.equals(bytes), vi.getTimerCount(), getEventListeners(signal, "abort")]).toEqual([
      true,
      0,
      [],
    ]);
  });

  it("after a document that is not read", async () => {
    stopTime();
    const { signal } = new AbortController();
    const document = await generate(clientOf(completePdf), { signal });
    expect([vi.getTimerCount(), getEventListeners(signal, "abort")]).toEqual([0, []]);
    expect(pdf.equals(await document.bytes())).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("after an error", async () => {
    stopTime();
    const refused = generate(clientOf(saying(404, Buffer.alloc(0))));
    expect(await rejectionOf(refused)).toMatchObject({ code: "not_found" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("except for timeouts.total, until the document is complete", async () => {
    stopTime();
    const timeouts = { firstByte: never, stall: never, unread: never };
    const pending = generate(clientOf(started), { timeouts });
    const failure = rejectionOf(pending.bytes());
    await pending;
    expect(vi.getTimerCount()).toBe(1);
    await pending.cancel("enough");
    expect(await failure).toBe("enough");
    expect(vi.getTimerCount()).toBe(0);
  });
});

it("an immediately truncated document is retried by the output that reads it, not by a second one", async () => {
  withoutBackOff();
  const closed = new Error("other side closed");
  const breaking = saying(200, half, (handler, controller) => handler.onResponseError(controller, closed));
  const answers = [breaking, completePdf];
  let attempts = 0;
  const dispatcher: DispatcherLike = {
    dispatch: (options, handler) => answers[attempts++]?.dispatch(options, handler) ?? false,
  };
  const pending = generate(clientOf(dispatcher), { retry: { limit: 2 } });
  // The second output ends first.
  const [blob, bytes] = await Promise.allSettled([pending.blob(), pending.bytes()]);
  expect(blob).toMatchObject({ status: "fulfilled", value: { size: pdf.length } });
  expect(bytes).toMatchObject({ status: "rejected", reason: expect.any(TypeError) });
  expect(attempts).toBe(2);
});

/** jsdom in Jest has no TextDecoder. */
it("an error is created without TextDecoder", async () => {
  vi.stubGlobal("TextDecoder", undefined);
  onTestFinished(() => void vi.unstubAllGlobals());
  const refusing = saying(401, Buffer.from("Not you, no café."));
  expect(await rejectionOf(generate(clientOf(refusing)))).toMatchObject({
    code: "authentication_failed",
    rawBody: "Not you, no caf\ufffd\ufffd.",
  });
});

it.each(["stream()", "response()"])(
  "timeouts.stall is paused while a document in memory waits for the reader of %s",
  async (method) => {
    stopTime();
    const more = saying(200, pdfOf(200_000), () => {});
    const document = await generate(clientOf(more), { timeouts: { stall: 1_000, unread: never } });
    const stream = method === "stream()" ? document.stream() : document.response().body;
    await passTime(3_600_000);
    expect(await stream?.getReader().read()).toMatchObject({ done: false, value: { length: 200_000 } });
    await document.cancel();
  },
);
