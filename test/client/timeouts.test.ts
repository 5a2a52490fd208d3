import { TimeoutError } from "template-pdf";
import { describe, expect, it } from "vitest";
import { beginning, pdfOf, rejectionOf, Service, saying, turns } from "../support/service.ts";
import { failureAt, forms, generate, stages } from "./every-form.ts";
import { expectTimeout, passTime, stopTime } from "./timing.ts";

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
    it.each(forms)("ends %s, and its socket", async (_, read) => {
      const service = await Service.start(answer);
      const client = service.client({ timeouts: { firstByte: 60 } });
      for (const [index, stage] of stages.entries()) {
        const error = expectTimeout(await failureAt(stage, generate(client), read), "firstByte", 60);
        expect(error.attempts).toBe(1);
        await (await service.request(index)).closed;
      }
    });
  });

  it("tells the status where a head came", async () => {
    const service = await Service.start(({ response }) => {
      response.writeHead(200, { "x-request-id": "req-7" }).flushHeaders();
    });
    const client = service.client({ timeouts: { firstByte: 60 } });
    const error = expectTimeout(await rejectionOf(generate(client)), "firstByte", 60);
    expect([error.status, error.requestId]).toEqual([200, "req-7"]);
  });

  it("is not begun anew by the head of a document that is not verified", async () => {
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

describe("limits", () => {
  it("of a call go over those of its client, one by one", async () => {
    const service = await Service.start(beginning(pdf.subarray(0, 100), promised));
    const client = service.client({ timeouts: { firstByte: 50_000, stall: 50_000 } });
    expectTimeout(await rejectionOf(generate(client, { timeouts: { stall: 60 } }).bytes()), "stall", 60);
  });

  it("of a client hold for its siblings, where those have none of their own", async () => {
    const service = await Service.start(beginning(pdf.subarray(0, 100), promised));
    const client = service.client({ timeouts: { stall: 60 } });
    expectTimeout(await rejectionOf(generate(client.with({ apiKey: "other" })).bytes()), "stall", 60);
    const patient = client.with({ timeouts: { stall: 90 } });
    expectTimeout(await rejectionOf(generate(patient).bytes()), "stall", 90);
    expect(service.requests).toHaveLength(2);
  });

  it("that are over have the message say how to go on", async () => {
    const service = await Service.start(saying(200));
    const silent = await Service.start(noAnswer);
    const error = await rejectionOf(generate(silent.client({ timeouts: { firstByte: 60 } })).bytes());
    expect(TimeoutError.is(error) && error.message).toBe(
      `The service at ${silent.baseUrl} sent no byte of a document for template "inv_2024" within 60 ms, \`timeouts.firstByte\`; it may have been rendered all the same. Raise the limit if rendering takes that long; else try again later.`,
    );
    expect(service.requests).toEqual([]);
  });
});
