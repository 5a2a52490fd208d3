import { getEventListeners } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { eventually } from "../support/eventually.ts";
import { fullPipe } from "../support/full-pipe.ts";
import { hasPipeFiles } from "../support/platform.ts";
import { beginning, clientOf, pdfOf, rejectionOf, Service, turns, withLength } from "../support/service.ts";
import { listenRaw } from "../support/sockets.ts";
import { controlled, reasons } from "./aborts.ts";
import { generate, outputMethods, stages } from "./every-form.ts";
import { countTimers } from "./timing.ts";

const pdf = pdfOf(200_000);
const half = beginning(pdf.subarray(0, 100_000), { "content-length": String(pdf.length) });

describe("cancelling a document", () => {
  /** A Node stream can be destroyed only with an error. */
  const endOf = (error: unknown, method: string, reason: unknown) =>
    method === "nodeStream()" && !(reason instanceof Error) ? (error as Error).cause : error;

  it.each(outputMethods)(
    "while it arrives rejects %s with the reason and closes the socket",
    async (method, read) => {
      for (const reason of reasons.slice(1)) {
        const service = await Service.start(half);
        const { signal, abort } = controlled();
        const document = await generate(service.client(), { signal });
        const failure = rejectionOf(read(document));
        abort(reason);
        expect(endOf(await failure, method, reason)).toBe(reason);
        await (await service.request()).closed;
      }
    },
  );

  it.each(outputMethods)("before it is read rejects %s with the reason", async (method, read) => {
    for (const end of ["abort", "cancel"] as const) {
      const service = await Service.start(withLength(pdfOf(2_000)));
      const { signal, abort } = controlled();
      const document = await generate(service.client(), { signal });
      const reason = new Error("enough");
      if (end === "abort") abort(reason);
      else await document.cancel(reason);
      expect(endOf(await rejectionOf((async () => read(document))()), method, reason)).toBe(reason);
    }
  });

  it.each(stages)("with cancel() of %s closes the socket and keeps the first reason", async (stage) => {
    const service = await Service.start(half);
    const pending = generate(service.client());
    const document = await pending;
    const failure = rejectionOf(document.bytes());
    // In an object, because awaiting a pending result would return the document.
    const { cancelled } = { cancelled: stage === "the pending result" ? pending : document };
    await cancelled.cancel(null);
    await cancelled.cancel(new Error("second"));
    expect(await failure).toBe(null);
    await (await service.request()).closed;
  });

  it.each(outputMethods)(
    "after %s has read it has no effect on the document or the connection",
    async (_, read) => {
      const service = await Service.start(withLength(pdf));
      const client = service.client();
      const { signal, abort } = controlled();
      const pending = generate(client, { signal });
      expect(pdf.equals(await read(pending))).toBe(true);
      await pending.cancel(new Error("too late"));
      await (await pending).cancel(new Error("too late"));
      abort();
      expect((await pending).status).toBe(200);
      // Undici reuses a socket only in the next turn of the event loop.
      await turns();
      await generate(client).bytes();
      expect(service.connections).toBe(1);
    },
  );

  it.runIf(hasPipeFiles)("while it is written from memory to a file stops the writing", async () => {
    const service = await Service.start(withLength(pdfOf(2_000)));
    const { signal, abort } = controlled();
    const document = await generate(service.client(), { signal });
    while (getEventListeners(signal, "abort").length > 0) await turns();
    const pipe = fullPipe();
    const saving = rejectionOf(document.saveTo(pipe.path));
    while (getEventListeners(signal, "abort").length === 0) await turns();
    abort();
    // Delayed, because a pipe that is closed while it is opened has no reader.
    setTimeout(() => pipe.close(), 300);
    expect(await saving).toBe(signal.reason);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

it("a call with an aborted signal does not send a request", async () => {
  const service = await Service.start(withLength(pdf));
  const request = vi.fn();
  const client = service.client({ hooks: { request } });
  const signal = AbortSignal.abort("before");
  for (const [, read] of outputMethods)
    expect(await rejectionOf(read(generate(client, { signal })))).toBe("before");
  await generate(client.with({ hooks: {} })).bytes();
  expect(service.requests).toHaveLength(1);
  expect(request).not.toHaveBeenCalled();
});

it("a call that is aborted by its own `fetch` leaves no timers", async () => {
  const timers = countTimers();
  const service = await Service.start(() => {});
  const { signal, abort } = controlled();
  const fetch = () => {
    abort("enough");
    return new Promise<never>(() => {});
  };
  expect(await rejectionOf(generate(service.client({ fetch }), { signal }).bytes())).toBe("enough");
  expect(countTimers()).toBeLessThanOrEqual(timers);
});

it.each(["during the TLS handshake", "while a proxy connects"])(
  "a connection of the client is destroyed if the call is aborted %s",
  async (moment) => {
    let count = 0;
    const server = await listenRaw((socket) => {
      count += 1;
      socket.resume();
    });
    onTestFinished(() => server.close());
    const byProxy = moment.includes("proxy");
    if (byProxy) vi.stubEnv("HTTPS_PROXY", server.origin);
    onTestFinished(() => void vi.unstubAllEnvs());
    const client = clientOf(byProxy ? "https://service.test" : `https://127.0.0.1:${server.port}`);
    const { signal, abort } = controlled();
    const failure = rejectionOf(generate(client, { signal }).bytes());
    await eventually(() => count === 1);
    abort("enough");
    expect(await failure).toBe("enough");
    await eventually(() => server.openSockets === 0);
  },
);
