import { ApiError } from "template-pdf";
import { describe, expect, it } from "vitest";
import { failureAt, forms, gather, generate, iterable, stages } from "../client/every-form.ts";
import { expectTimeout, expectUnendedBody, passTime, stopTime, streamForms } from "../client/timing.ts";
import { beginning, pdfOf, rejectionOf, Service, turns, withLength } from "../support/service.ts";

const pdf = pdfOf(200_000);
const promised = { "content-length": String(pdf.length) };
/** More than every buffer between a service and a reader holds. */
const big = pdfOf(12_000_000);

describe("timeouts.stall", () => {
  describe.each([5, 100_000])("after %d bytes,", (size) => {
    it.each(forms)("ends %s, and its socket", async (_, read) => {
      const service = await Service.start(beginning(pdf.subarray(0, size), promised));
      const client = service.client({ timeouts: { stall: 60 } });
      for (const [index, stage] of stages.entries()) {
        const error = expectTimeout(await failureAt(stage, generate(client), read), "stall", 60);
        expect([error.attempts, error.status]).toEqual([1, 200]);
        expect(error.message).toContain(`${size} of ${pdf.length} bytes`);
        await (await service.request(index)).closed;
      }
    });
  });

  it("leaves a document alone that drips: every form is whole", async () => {
    const service = await Service.start(async ({ response }) => {
      response.writeHead(200, promised);
      for (let at = 0; at < pdf.length; at += 10_000) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        response.write(pdf.subarray(at, at + 10_000));
      }
      response.end();
    });
    const client = service.client({ timeouts: { stall: 1_000 } });
    const whole = forms.map(async ([form, read]) => [form, pdf.equals(await read(generate(client)))]);
    expect(await Promise.all(whole)).toEqual(forms.map(([form]) => [form, true]));
  });

  it("is off while the reader is slow: a break of 5 times as long, and the document is whole", async () => {
    const service = await Service.start(withLength(big));
    const client = service.client({ timeouts: { stall: 100 } });
    const pause = () => new Promise((resolve) => setTimeout(resolve, 500));
    const chunksOf = {
      "stream()": async () => iterable(await generate(client).stream()),
      "nodeStream()": async () => generate(client).nodeStream(),
      "response()": async () =>
        iterable((await generate(client).response()).body as ReadableStream<Uint8Array>),
      iteration: async () => generate(client),
    };
    const sizes = Object.entries(chunksOf).map(async ([form, open]) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of await open()) {
        if (chunks.length === 0 || chunks.length === 20) await pause();
        chunks.push(chunk);
      }
      return [form, big.equals(Buffer.concat(chunks))];
    });
    expect(await Promise.all(sizes)).toEqual(streamForms.map(([form]) => [form, true]));
  });

  it("is on again when a slow reader goes on and the service does not", async () => {
    const service = await Service.start(
      beginning(big.subarray(0, 6_000_000), { "content-length": `${big.length}` }),
    );
    const client = service.client({ timeouts: { stall: 100 } });
    const stream = await generate(client).stream();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expectTimeout(await rejectionOf(gather(stream)), "stall", 100);
    await (await service.request()).closed;
  });

  it("bounds the body of an error, which is told with what came of it", async () => {
    const service = await Service.start(async ({ response }) => {
      response.writeHead(503, { "content-type": "text/plain" });
      // A drip does not help it: the whole body has to come in that time.
      while (!response.destroyed) {
        response.write("busy ");
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });
    const client = service.client({ timeouts: { stall: 200 } });
    const error = await rejectionOf(generate(client).bytes());
    expect(ApiError.is(error) && [error.status, error.rawBody.slice(0, 5), error.attempts]).toEqual([
      503,
      "busy ",
      1,
    ]);
    expectUnendedBody(error, 200);
    await (await service.request()).closed;
  });

  it.each([30_000, Number.POSITIVE_INFINITY])(
    "of %d ms still gives the body of an error 10 s at most",
    async (stall) => {
      const service = await Service.start(({ response }) => {
        response.writeHead(503).flushHeaders();
      });
      let cameIn = () => {};
      const headCame = new Promise<void>((resolve) => {
        cameIn = resolve;
      });
      const client = service.client({ timeouts: { stall }, hooks: { response: cameIn } });
      stopTime();
      let told = false;
      const failure = rejectionOf(generate(client).bytes()).finally(() => {
        told = true;
      });
      await headCame;
      await passTime(9_900);
      expect(told).toBe(false);
      await passTime(400);
      expectUnendedBody(await failure, 10_000);
    },
  );

  it("does not mistake its own process's being busy for a silent service", async () => {
    const service = await Service.start(beginning(pdf.subarray(0, 100_000), promised));
    const client = service.client({ timeouts: { stall: 100 } });
    const document = await generate(client);
    const bytes = document.bytes();
    const { response } = await service.request();
    await turns();
    // The rest has arrived at this machine before the limit; nobody had the time to look.
    response.end(pdf.subarray(100_000));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    expect(pdf.equals(await bytes)).toBe(true);
  });
});
