import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { outputMethods as forms, generate } from "../client/every-form.ts";
import { countTimers, withoutBackOff } from "../client/timing.ts";
import { type Answer, pdfOf, Service, saying, transports, turns, withLength } from "../support/service.ts";

const pdf = pdfOf(3_000);
const begun: Answer = ({ response }) =>
  response.writeHead(200, { "content-length": pdf.length }).write(pdf.subarray(0, 900));

/** What may come of a request, by the word that stands in its values. */
const answers: Readonly<Record<string, Answer>> = {
  whole: withLength(pdf),
  refused: saying(404, "{}"),
  busy: saying(503),
  page: saying(200, "<html>"),
  broken: ({ response }) =>
    response
      .writeHead(200, { "content-length": pdf.length })
      .write(pdf.subarray(0, 900), () => response.destroy()),
  dead: ({ socket }) => socket.destroy(),
  silent: () => {},
  stalled: begun,
};
const kinds = Object.keys(answers);

async function start(): Promise<Service> {
  return Service.start((received) => answers[JSON.parse(received.body).kind]?.(received));
}

describe.each(transports)("by %s, nothing is left behind", (_, options) => {
  it.each(kinds)("of a call with any output that ended as %s", async (kind) => {
    withoutBackOff();
    const service = await start();
    const timers = countTimers();
    const client = service.client({
      ...options,
      retry: { limit: 1 },
      timeouts: { firstByte: 60, stall: 60, unread: 60 },
    });
    const { signal } = new AbortController();
    const reads = forms.flatMap(([, read]) => [
      () => read(client.generate("inv_2024", { kind }, { signal })),
      async () => read(await client.generate("inv_2024", { kind }, { signal })),
    ]);
    await Promise.allSettled(reads.map((read) => read()));
    await turns(10);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    await client.close();
    expect(countTimers()).toBeLessThanOrEqual(timers);
  });

  it("of a document that nobody reads, once its limit is over", async () => {
    const big = pdfOf(4_000_000);
    const service = await Service.start(withLength(big));
    const timers = countTimers();
    const { signal } = new AbortController();
    const client = service.client({ ...options, timeouts: { unread: 60 } });
    await generate(client, { signal });
    await (await service.request()).closed;
    expect(getEventListeners(signal, "abort")).toEqual([]);
    await client.close();
    expect(countTimers()).toBeLessThanOrEqual(timers);
  });
});
