import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { outputMethods as forms, generate } from "../client/every-form.ts";
import { countTimers, withoutBackOff } from "../client/timing.ts";
import { type Answer, pdfOf, Service, saying, transports, turns, withLength } from "../support/service.ts";

const pdf = pdfOf(3_000);
const begun: Answer = ({ response }) =>
  response.writeHead(200, { "content-length": pdf.length }).write(pdf.subarray(0, 900));

/** The possible responses, by the word in the values of the request. */
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

describe.each(transports)("with %s, a client leaves no listener, timer or socket", (_, options) => {
  it.each(kinds)("after a call with any output that ended with %s", async (kind) => {
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

  it("after a document that is never read, once its timeout has passed", async () => {
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
