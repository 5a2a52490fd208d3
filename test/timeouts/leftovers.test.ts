import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { outputMethods as forms, generate } from "../client/every-form.ts";
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
const outputs = forms.filter(([form]) => ["bytes()", "stream()", "nodeStream()", "saveTo()"].includes(form));

describe.each(transports)("a client with %s", (_, options) => {
  it.each(Object.entries(answers))(
    "leaves no listener, timer or socket behind after calls that end with %s",
    async (kind, answer) => {
      withoutBackOff();
      const service = await Service.start(answer);
      const timers = countTimers();
      const client = service.client({
        ...options,
        retry: { limit: 1 },
        timeouts: { firstByte: 60, stall: 60, unread: 60 },
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
