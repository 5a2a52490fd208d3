import type { PendingPdf } from "template-pdf";
import { describe, expect, it } from "vitest";
import { forms, gather, generate } from "../client/every-form.ts";
import { expectTimeout } from "../client/timing.ts";
import { pdfOf, rejectionOf, Service, strayRejections, turns, withLength } from "../support/service.ts";

/** More than every buffer between a service and a reader holds. */
const big = pdfOf(12_000_000);

describe("timeouts.unread", () => {
  it.each([true, false])(
    "frees the socket of a large document that is awaited and not read; reading it then tells why (verify: %s)",
    async (verify) => {
      for (const [, read] of forms) {
        const service = await Service.start(withLength(big));
        const document = await generate(service.client({ verify, timeouts: { unread: 60 } }));
        await (await service.request()).closed;
        const error = await rejectionOf((async () => read(document))());
        expect(expectTimeout(error, "unread", 60).status).toBe(200);
      }
    },
  );

  it("tells nobody where nobody reads", async () => {
    const service = await Service.start(withLength(big));
    const stray = await strayRejections(async () => {
      void generate(service.client({ timeouts: { unread: 60 } }));
      await (await service.request()).closed;
      await turns(10);
    });
    expect(stray).toEqual([]);
  });

  it.each([
    ["stream()", (pending: PendingPdf) => pending.stream()],
    ["nodeStream()", (pending: PendingPdf) => pending.nodeStream()],
    ["response()", (pending: PendingPdf) => pending.response()],
  ])("ends %s that nobody ever touches, and its socket", async (_, open) => {
    const service = await Service.start(withLength(big));
    const client = service.client({ timeouts: { unread: 60 } });
    const opened = await open(generate(client));
    await (await service.request()).closed;
    const stream = opened instanceof Response ? (opened.body as ReadableStream<Uint8Array>) : opened;
    expectTimeout(await rejectionOf(gather(stream)), "unread", 60);
    await client.close();
  });

  it("does not concern a document that is whole in memory", async () => {
    const small = pdfOf(2_000);
    const service = await Service.start(withLength(small));
    const client = service.client({ timeouts: { unread: 60 } });
    const documents = await Promise.all(forms.map(() => generate(client)));
    await new Promise((resolve) => setTimeout(resolve, 300));
    const whole = forms.map(async ([form, read], index) => {
      const document = documents[index];
      return [form, document && small.equals(await read(document))];
    });
    expect(await Promise.all(whole)).toEqual(forms.map(([form]) => [form, true]));
  });
});
