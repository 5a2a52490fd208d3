import { Agent } from "undici";
import { describe, expect, it } from "vitest";
import { generate } from "../client/every-form.ts";
import { passTime, stopTime } from "../client/timing.ts";
import { pdfOf, Service, turns, withLength } from "../support/service.ts";

const pdf = pdfOf(200_000);
const promised = { "content-length": String(pdf.length) };

describe("undici's own limits of 300 s", () => {
  // This test must be the first, and one single test: undici keeps its timers in its module, and they would belong to another
  // clock.
  it("never fire: before the headers, before the body or in the middle of the body", async () => {
    const service = await Service.start(() => {});
    stopTime();
    const never = Number.POSITIVE_INFINITY;
    const client = service.client({ timeouts: { firstByte: never, stall: never, total: never } });
    const bytes = generate(client).bytes();
    const { response } = await service.request();
    const waitLong = async () => {
      for (let wait = 0; wait < 20; wait++) await turns(5);
      for (let minute = 0; minute < 20; minute++) await passTime(60_000);
    };
    await waitLong();
    response.writeHead(200, promised).flushHeaders();
    await waitLong();
    response.write(pdf.subarray(0, 100_000));
    await waitLong();
    response.end(pdf.subarray(100_000));
    expect(pdf.equals(await bytes)).toBe(true);
  });

  it("are switched off in every request, also with a dispatcher of the caller", async () => {
    const service = await Service.start(withLength(pdf));
    const agent = new Agent();
    const seen: object[] = [];
    const dispatcher = agent.compose((dispatch) => (request, handler) => {
      seen.push(request);
      return dispatch(request, handler);
    });
    await generate(service.client({ dispatcher })).bytes();
    await agent.close();
    expect(seen).toEqual([expect.objectContaining({ headersTimeout: 0, bodyTimeout: 0 })]);
  });
});
