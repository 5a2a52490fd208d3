import { getEventListeners, once } from "node:events";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import type { DispatcherLike, GeneratedPdf, PendingPdf } from "template-pdf";
import { ConfigurationError, SaveError } from "template-pdf";
import { Agent } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { eventually } from "../support/eventually.ts";
import { beginning, pdfOf, rejectionOf, Service, turns, withLength } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { generate } from "./output-methods.ts";

const pdf = pdfOf(200_000);
const small = pdfOf(2_000);
const unfinished = beginning(pdf.subarray(0, 100_000), { "content-length": String(pdf.length) });

async function leaveLoop(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) if (chunk.byteLength > 0) break;
}

const releases: readonly (readonly [string, (document: GeneratedPdf) => unknown])[] = [
  ["`await using`", (document) => document[Symbol.asyncDispose]()],
  ["ending an iteration before its first chunk", (document) => document[Symbol.asyncIterator]().return?.()],
  ["breaking out of a `for await` loop", (document) => leaveLoop(document)],
  ["cancelling stream()", (document) => document.stream().cancel(new Error("enough"))],
  [
    "cancelling a reader that is waiting",
    async (document) => {
      const reader = document.stream().getReader();
      for (let bytes = 0; bytes < 100_000; ) bytes += (await reader.read()).value?.byteLength ?? 0;
      const waiting = reader.read();
      await reader.cancel();
      expect(await waiting).toEqual({ done: true, value: undefined });
    },
  ],
  ["cancelling the body of response()", (document) => document.response().body?.cancel()],
  ["destroying nodeStream()", (document) => once(document.nodeStream().destroy(), "close")],
];

it.each(releases)("%s closes the socket of an unfinished document", async (_, release) => {
  const service = await Service.start(unfinished);
  const { signal } = new AbortController();
  const document = await generate(service.client(), { signal });
  await release(document);
  await (await service.request()).closed;
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

it.each<[string, (pending: PendingPdf) => unknown]>([
  ["ending an iteration before its first chunk", (pending) => pending[Symbol.asyncIterator]().return?.()],
  ["breaking out of a `for await` loop", (pending) => leaveLoop(pending)],
  ["calling response() with status 204", (pending) => rejectionOf(pending.response({ status: 204 }))],
])("%s closes the socket of a pending result", async (_, release) => {
  const service = await Service.start(unfinished);
  const pending = generate(service.client());
  const { closed } = await service.request();
  await release(pending);
  await closed;
});

it("an ended iteration or a failed call to response() does not affect other outputs", async () => {
  const service = await Service.start(withLength(pdf));
  const pending = generate(service.client());
  const bytes = pending.bytes();
  await pending[Symbol.asyncIterator]().return?.();
  expect(await rejectionOf(pending.response({ status: 99 }))).toBeInstanceOf(Error);
  expect((await bytes).length).toBe(pdf.length);
});

it("a signal that is shared by 30 calls has one listener, and aborts every call", async () => {
  const warn = vi.fn();
  process.on("warning", warn);
  const service = await Service.start(() => {});
  const client = service.client();
  const controller = new AbortController();
  const { signal } = controller;
  const failures = Array.from({ length: 30 }, () => rejectionOf(generate(client, { signal }).bytes()));
  await service.request();
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  controller.abort("enough");
  expect(await Promise.all(failures)).toEqual(Array(30).fill("enough"));
  await turns();
  process.off("warning", warn);
  expect(warn).not.toHaveBeenCalled();
});

it("a dispatcher whose controller throws keeps neither its call, nor others with the same signal, nor close() waiting", async () => {
  const agent = new Agent();
  onTestFinished(() => agent.destroy());
  const refuse = () => {
    throw new Error("not today");
  };
  const dispatcher: DispatcherLike = {
    dispatch: (options, handler) =>
      agent.dispatch(options, {
        ...handler,
        onRequestStart: () => handler.onRequestStart({ abort: refuse, pause: refuse, resume: refuse }),
        onResponseError: (_controller, error) => handler.onResponseError(_controller, error),
      }),
  };
  const service = await Service.start(() => {});
  const [broken, other] = [service.client({ dispatcher }), service.client()];
  const controller = new AbortController();
  const { signal } = controller;
  const failures = [broken, other].map((client) => rejectionOf(generate(client, { signal }).bytes()));
  await eventually(() => service.requests.length === 2);
  controller.abort("enough");
  expect(await Promise.all(failures)).toEqual(["enough", "enough"]);
  await Promise.all([broken.close(), other.close()]);
});

it("calls that fail before sending a request leave no listener on the signal", async () => {
  const client = (await Service.start(unfinished)).client();
  const { signal } = new AbortController();
  await rejectionOf(client.generate("..", {}, { signal }));
  await rejectionOf(generate(client.with({ apiKey: async () => "" }), { signal }));
  await rejectionOf(generate(client, { signal }).saveTo("/missing/folder/a.pdf"));
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

it.each([false, true])("a failed saveTo() ends its generate() call (broken socket: %s)", async (isBroken) => {
  const failures: unknown[] = [];
  const service = await Service.start(unfinished);
  const hooks = { error: ({ error }: { error: unknown }) => void failures.push(error) };
  const client = service.client({ retry: { limit: 3 }, hooks });
  const pending = generate(client);
  // Waits for the request, so that the path is not checked before the request is sent.
  const { socket, closed } = await service.request();
  const saving = rejectionOf(pending.saveTo(join(temporaryFolder(), "no-such-folder", "a.pdf")));
  if (isBroken) socket.destroy();
  const error = await saving;
  expect(SaveError.is(error)).toBe(true);
  await closed;
  await client.close();
  expect(failures).toEqual([error]);
});

describe("close()", () => {
  it.each<[string, (pending: PendingPdf, path: string) => Promise<{ saving: Promise<unknown> }>]>([
    ["in the same tick as generate()", async (pending, path) => ({ saving: pending.saveTo(path) })],
    [
      "after the call has started",
      async (pending, path) => {
        await undefined;
        return { saving: pending.saveTo(path) };
      },
    ],
    ["on an awaited document", async (pending, path) => ({ saving: (await pending).saveTo(path) })],
  ])("waits until a small document is saved if saveTo() is called %s", async (_, start) => {
    const service = await Service.start(withLength(small));
    const client = service.client();
    const { saving } = await start(generate(client), join(temporaryFolder(), "a.pdf"));
    let isSaved = false;
    const saved = saving.then(() => {
      isSaved = true;
    });
    await client.close();
    expect(isSaved, "saved before close() resolves").toBe(true);
    await saved;
  });

  it("lets the first of two outputs read the document, even if it is a file", async () => {
    const service = await Service.start(withLength(small));
    const pending = generate(service.client());
    const saving = pending.saveTo(join(temporaryFolder(), "a.pdf"));
    const reading = rejectionOf(pending.bytes());
    expect((await saving).bytes).toBe(small.length);
    expect(await reading).toMatchObject({
      message:
        "bytes() cannot read the document, because saveTo() has already read it. Reuse the value it returned, or generate the document again.",
    });
  });

  it("frees the connection of a document if no output can read it", async () => {
    const service = await Service.start(unfinished);
    const pending = generate(service.client());
    const { closed } = await service.request();
    const missing = join(temporaryFolder(), "no-such-folder", "a.pdf");
    const errors = await Promise.all([
      rejectionOf(pending.saveTo(missing)),
      rejectionOf(pending.saveTo(missing)),
    ]);
    expect(errors.every((error) => SaveError.is(error))).toBe(true);
    await closed;
  });

  it("makes later calls reject, including calls on derived clients", async () => {
    const service = await Service.start(withLength(small));
    const client = service.client();
    const derived = client.with({ apiKey: "derived" });
    await generate(client).bytes();
    await client.close();
    for (const closed of [client, derived, client.with({ apiKey: "late" })]) {
      expect(await rejectionOf(generate(closed).bytes())).toBeInstanceOf(ConfigurationError);
    }
    expect(service.requests).toHaveLength(1);
  });

  it("closes a derived client without closing its parent or other derived clients", async () => {
    const client = (await Service.start(withLength(small))).client();
    const derived = client.with({ apiKey: "derived" });
    await derived[Symbol.asyncDispose]();
    expect(await rejectionOf(generate(derived))).toBeInstanceOf(ConfigurationError);
    expect(await generate(client).bytes()).toHaveLength(2_000);
    expect(await generate(client.with({ apiKey: "other" })).bytes()).toHaveLength(2_000);
  });

  it("can be called repeatedly, by `await using`, or before the client has made a call", async () => {
    const service = await Service.start(withLength(small));
    await using client = service.client();
    await service.client().close();
    await generate(client).bytes();
    await Promise.all([client.close(), client.close()]);
    await client[Symbol.asyncDispose]();
  });

  it("closes the client's connections but not those of the caller's dispatcher", async () => {
    const service = await Service.start((received) => {
      // Otherwise, the server and undici close an idle connection after a few seconds.
      const { server } = received.socket as Socket & { server: Server };
      server.keepAliveTimeout = 0;
      return withLength(small, { "keep-alive": "timeout=600" })(received);
    });
    const client = service.client();
    await generate(client).bytes();
    await client.close();
    await service.requests[0]?.closed;
    const dispatcher = new Agent();
    for (let count = 0; count < 2; count++) {
      await using borrowing = service.client({ dispatcher });
      expect(await generate(borrowing).bytes()).toHaveLength(2_000);
    }
    await dispatcher.close();
  });
});
