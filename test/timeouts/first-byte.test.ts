import { describe, expect, it } from "vitest";
import { failureAt, forms, generate, stages } from "../client/every-form.ts";
import { expectTimeout, passTime, stopTime } from "../client/timing.ts";
import { beginning, pdfOf, rejectionOf, Service, turns } from "../support/service.ts";

const pdf = pdfOf(200_000);
const promised = { "content-length": String(pdf.length) };
const noAnswer = () => {};
const headOnly = beginning(Buffer.alloc(0));

describe("timeouts.firstByte", () => {
  describe.each([
    ["without a head", noAnswer],
    [
      "with a head and no byte of the body",
      ({ response }: Parameters<typeof headOnly>[0]) => {
        response.writeHead(200, promised);
        response.flushHeaders();
      },
    ],
  ])("%s,", (_, answer) => {
    it.each(forms)("ends %s and closes the socket", async (_, read) => {
      const service = await Service.start(answer);
      const client = service.client({ timeouts: { firstByte: 60 } });
      for (const [index, stage] of stages.entries()) {
        const error = expectTimeout(await failureAt(stage, generate(client), read), "firstByte", 60);
        expect(error.attempts).toBe(1);
        await (await service.request(index)).closed;
      }
    });
  });

  it("reports the status if headers arrived", async () => {
    const service = await Service.start(({ response }) => {
      response.writeHead(200, { "x-request-id": "req-7" }).flushHeaders();
    });
    const client = service.client({ timeouts: { firstByte: 60 } });
    const error = expectTimeout(await rejectionOf(generate(client)), "firstByte", 60);
    expect([error.status, error.requestId]).toEqual([200, "req-7"]);
  });

  it("does not start again with the headers of a document that is not verified", async () => {
    const service = await Service.start(noAnswer);
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

it("timeouts of a call override those of its client one by one", async () => {
  const service = await Service.start(beginning(pdf.subarray(0, 100), promised));
  const client = service.client({ timeouts: { firstByte: 50_000, stall: 50_000 } });
  expectTimeout(await rejectionOf(generate(client, { timeouts: { stall: 60 } }).bytes()), "stall", 60);
});
