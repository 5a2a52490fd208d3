import { getEventListeners } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { GeneratedPdf, PendingPdf } from "template-pdf";
import { describe, expect, it, vi } from "vitest";
import { fullPipe } from "../support/full-pipe.ts";
import { hasPipeFiles } from "../support/platform.ts";
import { beginning, pdfOf, rejectionOf, Service, turns, withLength } from "../support/service.ts";
import { failureAt, forms, generate, stages, temporaryFolder } from "./every-form.ts";

const pdf = pdfOf(200_000);
const half = pdf.subarray(0, 100_000);
const promised = { "content-length": String(pdf.length) };

/** Reasons as callers give them: errors with the fields of system errors, DOM errors, and no errors at all. */
const reasons: readonly (readonly [string, unknown])[] = [
  ["an error", new Error("the customer left")],
  ["the default", undefined],
  ["a timeout", new DOMException("too slow", "TimeoutError")],
  ["an error of Node's", Object.assign(new Error("gone"), { code: "ERR_STREAM_PREMATURE_CLOSE" })],
  ["an error of the system", Object.assign(new Error("reset"), { code: "ECONNRESET", syscall: "read" })],
  ["a string", "the customer left"],
  ["null", null],
  ["zero", 0],
];

/** Each output with an error and with something else. The other reasons only where they could be taken for another failure. */
const cases = reasons.flatMap(([name, reason]) =>
  forms
    .filter(([form]) => name === "an error" || name === "null" || form === "nodeStream()")
    .map(([form, read]) => ({ name, reason, form, read })),
);

/** Of a Node stream only an error can be the end. */
function expectReason(error: unknown, reason: unknown, form: string): void {
  if (form === "nodeStream()" && !(reason instanceof Error)) {
    expect((error as Error).cause).toBe(reason);
  } else {
    expect(error).toBe(reason);
  }
}

describe("the caller's signal", () => {
  const start = async (answer = beginning(half, promised)) => {
    const service = await Service.start(answer);
    const controller = new AbortController();
    return { service, controller, pending: generate(service.client(), { signal: controller.signal }) };
  };

  describe.each(cases)("aborted with $name", ({ reason, form, read }) => {
    it(`before the call, rejects ${form} and sends nothing`, async () => {
      const service = await Service.start(withLength(pdf));
      const signal = AbortSignal.abort(reason);
      const client = service.client();
      expect(await rejectionOf(read(generate(client, { signal })))).toBe(signal.reason);
      await generate(client).bytes();
      expect(service.requests).toHaveLength(1);
    });

    it(`in the same tick, rejects ${form} and sends nothing`, async () => {
      const { service, controller, pending } = await start();
      const failure = rejectionOf(read(pending));
      controller.abort(reason);
      expect(await failure).toBe(controller.signal.reason);
      expect(service.requests).toHaveLength(0);
    });

    it(`while the service is at work, rejects ${form} and closes the socket`, async () => {
      const { service, controller, pending } = await start(() => {});
      const failure = rejectionOf(read(pending));
      const { closed } = await service.request();
      controller.abort(reason);
      expect(await failure).toBe(controller.signal.reason);
      await closed;
    });

    it(`while the document arrives, rejects ${form} and closes the socket`, async () => {
      const { service, controller, pending } = await start();
      const document = await pending;
      const failure = rejectionOf(read(document));
      controller.abort(reason);
      expectReason(await failure, controller.signal.reason, form);
      await (await service.request()).closed;
    });

    it(`before the document is read, rejects ${form}`, async () => {
      const { controller, pending } = await start(withLength(pdfOf(2_000)));
      const document = await pending;
      controller.abort(reason);
      expectReason(await rejectionOf((async () => read(document))()), controller.signal.reason, form);
    });
  });

  it("rejects an await, too", async () => {
    const { service, controller, pending } = await start(() => {});
    const failure = rejectionOf(pending);
    await service.request();
    controller.abort();
    expect(await failure).toBe(controller.signal.reason);
  });

  it("aborted while the key is being fetched, rejects at once and sends nothing", async () => {
    const service = await Service.start(withLength(pdf));
    const controller = new AbortController();
    let giveKey: ((key: string) => void) | undefined;
    const apiKey = () =>
      new Promise<string>((resolve) => {
        giveKey = resolve;
        controller.abort();
      });
    const request = vi.fn();
    const client = service.client({ apiKey, hooks: { request } });
    expect(await rejectionOf(generate(client, { signal: controller.signal }))).toBe(controller.signal.reason);
    giveKey?.("late");
    await generate(client.with({ apiKey: "other", hooks: {} })).bytes();
    expect(service.requests).toHaveLength(1);
    expect(request).not.toHaveBeenCalled();
  });

  it("aborted after the document was read, changes nothing", async () => {
    const service = await Service.start(withLength(pdf));
    const controller = new AbortController();
    const pending = generate(service.client(), { signal: controller.signal });
    const bytes = await pending.bytes();
    controller.abort();
    expect(pdf.equals(bytes)).toBe(true);
    expect((await pending).status).toBe(200);
    expect(service.connections).toBe(1);
  });

  it.runIf(hasPipeFiles)("ends what is made of a document that was whole in memory before", async () => {
    const service = await Service.start(withLength(pdfOf(2_000)));
    const controller = new AbortController();
    const document = await generate(service.client(), { signal: controller.signal });
    while (getEventListeners(controller.signal, "abort").length > 0) await turns();
    const pipe = fullPipe();
    const saving = rejectionOf(document.saveTo(pipe.path));
    while (getEventListeners(controller.signal, "abort").length === 0) await turns();
    controller.abort();
    // Later, because a pipe that is closed while it is being opened has no reader.
    setTimeout(() => pipe.close(), 300);
    expect(await saving).toBe(controller.signal.reason);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("leaves no file behind, nor a part of one, when it stops saveTo()", async () => {
    const { service, controller, pending } = await start();
    const folder = temporaryFolder();
    const saving = rejectionOf((await pending).saveTo(join(folder, "a.pdf")));
    while ((await readdir(folder)).length === 0);
    controller.abort();
    expect(await saving).toBe(controller.signal.reason);
    expect(await readdir(folder)).toEqual([]);
    await (await service.request()).closed;
  });
});

describe("cancel()", () => {
  describe.each(cases)("with $name", ({ reason, form, read }) => {
    const expected = reason === undefined ? expect.objectContaining({ name: "AbortError" }) : reason;

    it(`before anything is sent, rejects ${form} and the promise`, async () => {
      const service = await Service.start(withLength(pdf));
      const pending = generate(service.client());
      const failures = [rejectionOf(read(pending)), rejectionOf(pending)];
      await pending.cancel(reason);
      expect(await Promise.all(failures)).toEqual([expected, expected]);
      await generate(service.client()).bytes();
      expect(service.requests).toHaveLength(1);
    });

    it(`while the service is at work, rejects ${form} and closes the socket`, async () => {
      const service = await Service.start(() => {});
      const pending = generate(service.client());
      const failure = rejectionOf(read(pending));
      const { closed } = await service.request();
      await pending.cancel(reason);
      expect(await failure).toEqual(expected);
      await closed;
    });
  });

  it.each(stages)("while the document arrives, on %s, closes the socket", async (stage) => {
    const service = await Service.start(beginning(half, promised));
    const pending = generate(service.client());
    const document = await pending;
    const failure = rejectionOf(document.bytes());
    const cancelled: PendingPdf | GeneratedPdf = stage === "the pending result" ? pending : document;
    await cancelled.cancel(null);
    expect(await failure).toBe(null);
    await (await service.request()).closed;
  });

  it.each(forms)("of a document that nobody has read, rejects %s later", async (form, read) => {
    const service = await Service.start(withLength(pdfOf(2_000)));
    const document = await generate(service.client());
    const reason = new Error("enough");
    await document.cancel(reason);
    expectReason(await rejectionOf((async () => read(document))()), reason, form);
  });

  it.each(forms)("of a document that was read by %s, does nothing", async (_, read) => {
    const service = await Service.start(withLength(pdf));
    const client = service.client();
    const pending = generate(client);
    expect(pdf.equals(await read(pending))).toBe(true);
    await pending.cancel(new Error("too late"));
    expect((await pending).status).toBe(200);
    await (await pending).cancel(new Error("too late"));
    // Undici uses a socket again only in the next turn.
    await turns();
    await generate(client).bytes();
    expect(service.connections).toBe(1);
  });

  it("can be called again and again", async () => {
    const service = await Service.start(beginning(half, promised));
    const pending = generate(service.client());
    const first = new Error("first");
    const failure = rejectionOf(pending.bytes());
    await service.request();
    await pending.cancel(first);
    await pending.cancel(new Error("second"));
    expect(await failure).toBe(first);
  });

  it("ends one call and leaves its neighbours alone", async () => {
    const service = await Service.start((received) =>
      received.body.includes("stays") ? withLength(pdf)(received) : beginning(half, promised)(received),
    );
    const client = service.client();
    const calls = Array.from({ length: 10 }, (_, index) => ({
      stays: index % 2 === 0,
      pending: client.generate("uid", { which: index % 2 === 0 ? "stays" : "goes" }),
    }));
    const results = calls.map(async ({ stays, pending }) => {
      if (stays) return pdf.equals(await pending.bytes());
      const document = await pending;
      const failure = rejectionOf(document.bytes());
      await document.cancel("enough");
      return (await failure) === "enough";
    });
    expect(await Promise.all(results)).toEqual(calls.map(() => true));
  });

  it.each(forms)("is not mistaken for the end of the document: %s never ends well", async (form, read) => {
    const service = await Service.start(beginning(half, promised));
    for (const stage of stages) {
      const controller = new AbortController();
      const pending = generate(service.client(), { signal: controller.signal });
      const failure = failureAt(stage, pending, read);
      await pending;
      const reason = new Error(form);
      controller.abort(reason);
      expect(await failure).toBe(reason);
    }
  });
});
