import { describe, expect, it } from "vitest";
import { gather, generate, streamOutputs } from "../client/output-methods.ts";
import { expectTimeout, passLimit, passTime, stopTime, takesAtLeast } from "../client/timing.ts";
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
  const client = service.client({ timeouts: { [phase]: 60 } });
  const failure = await takesAtLeast(60, () => rejectionOf(generate(client).bytes()));
  const error = expectTimeout(failure, phase, 60);
  expect({ attempts: error.attempts, status: error.status }).toEqual({ attempts: 1, status });
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
    await passLimit(failure, 30_000);
    expectTimeout(await failure, "stall", 30_000);
    await (await service.request()).closed;
  });
});

describe("timeouts.unread", () => {
  it.each([true, false])("closes the socket of a large unread document (verify: %s)", async (verify) => {
    const service = await Service.start(withLength(big));
    const client = service.client({ verify, timeouts: { unread: 60 } });
    const document = await takesAtLeast(60, async () => {
      const unread = await generate(client);
      await (await service.request()).closed;
      return unread;
    });
    expect(expectTimeout(await rejectionOf(document.bytes()), "unread", 60).status).toBe(200);
  });

  it.each(streamOutputs)("aborts an unread result of %s", async (_, open) => {
    const service = await Service.start(withLength(big));
    const client = service.client({ timeouts: { unread: 60 } });
    const chunks = await takesAtLeast(60, async () => {
      const unread = await open(generate(client));
      await (await service.request()).closed;
      return unread;
    });
    expectTimeout(await rejectionOf(gather(chunks)), "unread", 60);
  });
});
