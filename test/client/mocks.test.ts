import { getEventListeners } from "node:events";
import { type DispatcherLike, TemplatePdf } from "template-pdf";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { pdfOf, rejectionOf } from "../support/service.ts";
import { generate, outputMethods } from "./output-methods.ts";
import { stopTime, withoutBackOff } from "./timing.ts";

const pdf = pdfOf(2_000);

type Handler = Parameters<DispatcherLike["dispatch"]>[1];
type Controller = Parameters<Handler["onRequestStart"]>[0];

/** Creates a dispatcher that responds before `dispatch` returns, as undici's `MockAgent` does. */
function saying(status: number, body: Uint8Array, error?: Error): DispatcherLike {
  const nothing = () => {};
  const methods = { abort: nothing, pause: nothing, resume: nothing };
  return {
    dispatch: (_, handler) => {
      const state = { aborted: false, paused: false, reason: null, rawHeaders: [] };
      const controller = { ...state, ...methods } as unknown as Controller;
      handler.onRequestStart(controller, {});
      handler.onResponseStart(controller, status, {});
      if (body.length > 0) handler.onResponseData(controller, body);
      if (error) handler.onResponseError(controller, error);
      else handler.onResponseEnd(controller, {});
      return true;
    },
  };
}

const completePdf = saying(200, pdf);

function clientOf(dispatcher: DispatcherLike): TemplatePdf {
  return new TemplatePdf({ baseUrl: "https://pdf.example.com", apiKey: "key", retry: false, dispatcher });
}

/** A remaining timer would prevent the process from exiting for ten minutes. */
describe("a call whose dispatcher responds synchronously", () => {
  it("leaves no timer or listener behind after any output method", async () => {
    stopTime();
    for (const [, read] of outputMethods) {
      const { signal } = new AbortController();
      expect(pdf.equals(await read(generate(clientOf(completePdf), { signal })))).toBe(true);
      expect({ timerCount: vi.getTimerCount(), abortListeners: getEventListeners(signal, "abort") }).toEqual({
        timerCount: 0,
        abortListeners: [],
      });
    }
  });

  it("leaves no timer or listener behind if the document is not read or the call fails", async () => {
    stopTime();
    const { signal } = new AbortController();
    const document = await generate(clientOf(completePdf), { signal });
    expect({ timerCount: vi.getTimerCount(), abortListeners: getEventListeners(signal, "abort") }).toEqual({
      timerCount: 0,
      abortListeners: [],
    });
    expect(pdf.equals(await document.bytes())).toBe(true);
    await rejectionOf(generate(clientOf(saying(404, Buffer.alloc(0)))));
    expect(vi.getTimerCount()).toBe(0);
  });
});

it("only the first output retries if a synchronous dispatcher truncates the document", async () => {
  withoutBackOff();
  const answers = [saying(200, pdf.subarray(0, 1_000), new Error("other side closed")), completePdf];
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
it("an error response can be read even if the runtime has no TextDecoder", async () => {
  vi.stubGlobal("TextDecoder", undefined);
  onTestFinished(() => void vi.unstubAllGlobals());
  const refusing = saying(401, Buffer.from("Not you, no voilÀ."));
  expect(await rejectionOf(generate(clientOf(refusing)))).toMatchObject({
    code: "authentication_failed",
    rawBody: "Not you, no voilÀ.",
  });
});
