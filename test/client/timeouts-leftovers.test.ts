import { getEventListeners } from "node:events";
import type { TemplatePdf } from "template-pdf";
import { describe, expect, it } from "vitest";
import { type Answer, pdfOf, Service, saying, transports, turns, withLength } from "../support/service.ts";
import { forms, generate } from "./every-form.ts";
import { countTimers, withoutBackOff } from "./timing.ts";

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

/** Every call that there is, some of them cancelled, and whatever comes of them. */
async function call(client: TemplatePdf, signal: AbortSignal, index: number): Promise<"whole" | "failed"> {
  const kind = kinds[index % kinds.length] as string;
  const isSlow = kind === "silent" || kind === "stalled";
  const timeouts = isSlow ? { firstByte: 20, stall: 20 } : {};
  const pending = client.generate("inv_2024", { kind }, { signal, timeouts });
  if (index % 29 === 0) await pending.cancel();
  try {
    const bytes = await pending.bytes();
    return bytes.length === pdf.length ? "whole" : "failed";
  } catch {
    return "failed";
  }
}

describe.each(transports)("by %s, nothing is left behind", (_, options) => {
  const total = 2_000;

  it(`of ${total} calls on one caller's signal, well or badly ended`, { timeout: 180_000 }, async () => {
    withoutBackOff();
    const service = await start();
    const client = service.client({ ...options, retry: { limit: 1 } });
    const { signal } = new AbortController();
    const timers = countTimers();
    let most = 0;
    let next = 0;
    const outcomes = { whole: 0, failed: 0 };
    const worker = async () => {
      while (next < total) {
        outcomes[await call(client, signal, next++)] += 1;
        most = Math.max(most, getEventListeners(signal, "abort").length);
      }
    };
    await Promise.all(Array.from({ length: 100 }, worker));
    await turns(10);
    expect(outcomes.whole + outcomes.failed).toBe(total);
    const cancelled = Array.from({ length: total / kinds.length }, (_, index) => index * kinds.length).filter(
      (index) => index % 29 === 0,
    );
    expect(outcomes.whole).toBe(total / kinds.length - cancelled.length);
    expect([most, getEventListeners(signal, "abort").length]).toEqual([1, 0]);
    await client.close();
    // What is kept alive by the global fetch is not ours to close.
    const silent = service.requests.filter(({ body }) => /silent|stalled|broken|dead/.test(body));
    await Promise.all(silent.map(({ closed }) => closed));
    if (client.transport === "undici") {
      while (service.connections > 0) await turns();
    }
    expect(countTimers()).toBeLessThanOrEqual(timers);
  });

  it.each(kinds)("of a call, in any form, that ended as %s", async (kind) => {
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
