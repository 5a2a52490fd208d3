import { describe, expect, it } from "vitest";
import { gather, generate, streamOutputs } from "../client/every-form.ts";
import { expectTimeout, passTime, stopTime } from "../client/timing.ts";
import {
  type Answer,
  beginning,
  pdfOf,
  rejectionOf,
  Service,
  turns,
  withLength,
} from "../support/service.ts";

// test/faults proves the limits with every kind of output.

const pdf = pdfOf(200_000);
const promised = { "content-length": String(pdf.length) };
/** More bytes than all buffers between a service and a reader hold. */
const big = pdfOf(12_000_000);

it.each<[string, Answer, "firstByte" | "stall", number | undefined]>([
  ["sends no headers", () => {}, "firstByte", undefined],
  ["stops sending after 5 bytes", beginning(pdf.subarray(0, 5), promised), "stall", 200],
])("bytes() rejects and closes the socket if the service %s", async (_, answer, phase, status) => {
  const service = await Service.start(answer);
  const bytes = generate(service.client({ timeouts: { [phase]: 60 } })).bytes();
  const error = expectTimeout(await rejectionOf(bytes), phase, 60);
  expect([error.attempts, error.status]).toEqual([1, status]);
  await (await service.request()).closed;
});

describe("timeouts.stall", () => {
  it("is suspended while a stream's reader pauses", async () => {
    const length = { "content-length": String(big.length) };
    const service = await Service.start(beginning(big.subarray(0, 6_000_000), length));
    stopTime();
    const client = service.client({ timeouts: { unread: Number.POSITIVE_INFINITY } });
    const stream = await generate(client).stream();
    const reader = stream.getReader();
    let received = 0;
    for (let count = 0; received < 5_900_000; count++) {
      if (count === 1 || count === 20) await passTime(100_000);
      received += (await reader.read()).value?.length ?? 0;
    }
    reader.releaseLock();
    const failure = rejectionOf(gather(stream));
    await turns(100);
    await passTime(31_000);
    expectTimeout(await failure, "stall", 30_000);
    await (await service.request()).closed;
  });
});

describe("timeouts.unread", () => {
  it.each([true, false])("closes the socket of a large unread document (verify: %s)", async (verify) => {
    const service = await Service.start(withLength(big));
    const document = await generate(service.client({ verify, timeouts: { unread: 60 } }));
    await (await service.request()).closed;
    expect(expectTimeout(await rejectionOf(document.bytes()), "unread", 60).status).toBe(200);
  });

  it.each(streamOutputs)("aborts an unread result of %s", async (_, open) => {
    const service = await Service.start(withLength(big));
    const chunks = await open(generate(service.client({ timeouts: { unread: 60 } })));
    await (await service.request()).closed;
    expectTimeout(await rejectionOf(gather(chunks)), "unread", 60);
  });
});
