import type { PendingPdf } from "template-pdf";
import { describe, expect, it } from "vitest";
import {
  failureAt,
  outputMethods as forms,
  gather,
  generate,
  stages,
  streamOutputs,
} from "../client/every-form.ts";
import { expectTimeout, expectUnendedBody, passTime, stopTime } from "../client/timing.ts";
import {
  type Answer,
  beginning,
  pdfOf,
  rejectionOf,
  Service,
  strayRejections,
  turns,
  withLength,
} from "../support/service.ts";
import { later } from "../support/sockets.ts";

const pdf = pdfOf(200_000);
const promised = { "content-length": String(pdf.length) };
/** More bytes than all buffers between a service and a reader hold. */
const big = pdfOf(12_000_000);
const headOnly: Answer = ({ response }) => void response.writeHead(200, promised).flushHeaders();
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.each<[string, Answer, "firstByte" | "stall", number | undefined]>([
  ["sends no headers", () => {}, "firstByte", undefined],
  ["sends headers only", headOnly, "firstByte", 200],
  ["stops after 5 bytes", beginning(pdf.subarray(0, 5), promised), "stall", 200],
  ["stops after 100,000 bytes", beginning(pdf.subarray(0, 100_000), promised), "stall", 200],
])("A service that %s", (_, answer, phase, status) => {
  it.each(forms)("makes %s reject with a timeout error, and its socket is closed", async (_form, read) => {
    const service = await Service.start(answer);
    const client = service.client({ timeouts: { [phase]: 60 } });
    for (const [index, stage] of stages.entries()) {
      const error = expectTimeout(await failureAt(stage, generate(client), read), phase, 60);
      expect([error.attempts, error.status]).toEqual([1, status]);
      await (await service.request(index)).closed;
    }
  });
});

describe("timeouts.firstByte", () => {
  it("does not restart when the headers of an unverified document arrive", async () => {
    const service = await Service.start(() => {});
    stopTime();
    const client = service.client({ timeouts: { firstByte: 100_000 }, verify: false });
    const pending = generate(client);
    const failure = rejectionOf(pending.bytes());
    const { response } = await service.request();
    await turns();
    await passTime(70_000);
    response.writeHead(200, promised).flushHeaders();
    await pending;
    await passTime(31_000);
    await passTime(0);
    const late = new Promise((resolve) => setImmediate(() => setImmediate(() => resolve("too late"))));
    expectTimeout(await Promise.race([failure, late]), "firstByte", 100_000);
  });
});

describe("timeouts.stall", () => {
  it("does not abort a document that arrives slowly", async () => {
    const service = await Service.start(async ({ response }) => {
      response.writeHead(200, promised);
      for (let at = 0; at < pdf.length; at += 10_000) {
        await sleep(100);
        response.write(pdf.subarray(at, at + 10_000));
      }
      response.end();
    });
    const client = service.client({ timeouts: { stall: 1_000 } });
    const whole = forms.map(async ([form, read]) => [form, pdf.equals(await read(generate(client)))]);
    expect(await Promise.all(whole)).toEqual(forms.map(([form]) => [form, true]));
  });

  it.each(streamOutputs)("does not run while the reader of %s pauses", async (_, open) => {
    const service = await Service.start(withLength(big));
    const client = service.client({ timeouts: { stall: 100 } });
    const chunks: Uint8Array[] = [];
    for await (const chunk of await open(generate(client))) {
      if (chunks.length === 0 || chunks.length === 20) await sleep(500);
      chunks.push(chunk);
    }
    expect(big.equals(Buffer.concat(chunks))).toBe(true);
  });

  it("resumes when the reader continues and the service does not", async () => {
    const length = { "content-length": `${big.length}` };
    const service = await Service.start(beginning(big.subarray(0, 6_000_000), length));
    const stream = await generate(service.client({ timeouts: { stall: 100 } })).stream();
    await sleep(300);
    expectTimeout(await rejectionOf(gather(stream)), "stall", 100);
    await (await service.request()).closed;
  });

  it.each([
    [5_000, 5_000],
    [30_000, 10_000],
    [Number.POSITIVE_INFINITY, 10_000],
  ])("of %d ms limits the whole body of an error response to %d ms", async (stall, limitMs) => {
    const service = await Service.start(({ response }) => response.writeHead(503).flushHeaders());
    const { promise: head, resolve: onHead } = later<unknown>();
    const client = service.client({ timeouts: { stall }, hooks: { response: onHead } });
    stopTime();
    let isOver = false;
    const failure = rejectionOf(generate(client).bytes()).finally(() => {
      isOver = true;
    });
    await head;
    await passTime(limitMs - 1_000);
    // Bytes that arrive do not extend the limit, and they are kept.
    const { response, closed } = await service.request();
    await new Promise((resolve) => response.write("busy", resolve));
    await turns(20);
    await passTime(900);
    expect(isOver).toBe(false);
    await passTime(400);
    const error = await failure;
    expect(error).toMatchObject({ status: 503, rawBody: "busy", attempts: 1 });
    expectUnendedBody(error, limitMs);
    await closed;
  });

  it("does not abort a document that arrived in time while the process was busy", async () => {
    const service = await Service.start(beginning(pdf.subarray(0, 100_000), promised));
    const document = await generate(service.client({ timeouts: { stall: 100 } }));
    const bytes = document.bytes();
    const { response } = await service.request();
    await turns();
    response.end(pdf.subarray(100_000));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    expect(pdf.equals(await bytes)).toBe(true);
  });
});

describe("timeouts.unread", () => {
  it.each([true, false])(
    "closes the socket of a large document that is not read, and rejects later reads (verify: %s)",
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

  it("leaves no unhandled rejection if the document is never read", async () => {
    const service = await Service.start(withLength(big));
    const stray = await strayRejections(async () => {
      void generate(service.client({ timeouts: { unread: 60 } }));
      await (await service.request()).closed;
      await turns(10);
    });
    expect(stray).toEqual([]);
  });

  it.each(streamOutputs)("aborts %s that is never read, and closes its socket", async (_, open) => {
    for (const stage of stages) {
      const service = await Service.start(withLength(big));
      const pending = generate(service.client({ timeouts: { unread: 60 } }));
      const document = (stage === "the pending result" ? [pending] : [await pending]) as [PendingPdf];
      const chunks = await open(document[0]);
      await (await service.request()).closed;
      expectTimeout(await rejectionOf(gather(chunks)), "unread", 60);
    }
  });

  it("does not abort a document that is completely in memory", async () => {
    const small = pdfOf(2_000);
    const service = await Service.start(withLength(small));
    const client = service.client({ timeouts: { unread: 60 } });
    const documents = await Promise.all(forms.map(() => generate(client)));
    await sleep(300);
    for (const [index, [, read]] of forms.entries()) {
      const document = documents[index];
      expect(document && small.equals(await read(document))).toBe(true);
    }
  });
});
