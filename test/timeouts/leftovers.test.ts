import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { generate, outputMethods } from "../client/output-methods.ts";
import { countTimers, withoutBackOff } from "../client/timing.ts";
import { type Answer, pdfOf, Service, saying, transports, turns, withLength } from "../support/service.ts";

const pdf = pdfOf(3_000);
const begun: Answer = ({ response }) =>
  response.writeHead(200, { "content-length": pdf.length }).write(pdf.subarray(0, 900));

/** Responses by the outcome of the call. */
const answers: Readonly<Record<string, Answer>> = {
  "a complete document": withLength(pdf),
  "a 503": saying(503),
  "a truncated document": ({ response }) =>
    response
      .writeHead(200, { "content-length": pdf.length })
      .write(pdf.subarray(0, 900), () => response.destroy()),
  "no response": () => {},
  "a stalled document": begun,
};

/** One output for each implementation. */
const outputs = outputMethods.filter(([method]) =>
  ["bytes()", "stream()", "nodeStream()", "saveTo()"].includes(method),
);

describe.each(transports)("a client with %s", (_, options) => {
  it.each(Object.entries(answers))(
    "leaves no listener, timer or socket behind after calls that end with %s",
    async (kind, answer) => {
      withoutBackOff();
      const service = await Service.start(answer);
      const timers = countTimers();
      // Only these calls reach a timeout. A busy machine could reach a short one in the others, too.
      const limitMs = kind === "no response" || kind === "a stalled document" ? 60 : 30_000;
      const client = service.client({
        ...options,
        retry: { limit: 1 },
        timeouts: { firstByte: limitMs, stall: limitMs, unread: limitMs },
      });
      const { signal } = new AbortController();
      const reads = outputs.flatMap(([, read]) => [
        () => read(generate(client, { signal })),
        async () => read(await generate(client, { signal })),
      ]);
      const outcomes = await Promise.allSettled(reads.map((read) => read()));
      const expected = kind === "a complete document" ? "fulfilled" : "rejected";
      expect(outcomes.map(({ status }) => status)).toEqual(reads.map(() => expected));
      await turns(10);
      expect(getEventListeners(signal, "abort")).toEqual([]);
      await client.close();
      expect(countTimers()).toBeLessThanOrEqual(timers);
    },
  );
});
