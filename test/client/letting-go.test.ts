import { once } from "node:events";
import { finished } from "node:stream/promises";
import type { GeneratedPdf, TemplatePdf } from "template-pdf";
import { describe, expect, it } from "vitest";
import {
  beginning,
  inChunks,
  pdfOf,
  rejectionOf,
  Service,
  saying,
  transports,
  turns,
  withLength,
} from "../support/service.ts";
import { forms, gather, generate } from "./every-form.ts";

const pdf = pdfOf(200_000);
const unfinished = beginning(pdf.subarray(0, 100_000), { "content-length": String(pdf.length) });

describe.each(transports)("letting go of a document that is not whole, by %s:", (_, options) => {
  const ways: readonly (readonly [string, (document: GeneratedPdf) => Promise<unknown>])[] = [
    ["await using", async (document) => document[Symbol.asyncDispose]()],
    [
      "leaving a loop",
      async (document) => {
        for await (const chunk of document) if (chunk.byteLength > 0) break;
      },
    ],
    [
      "throwing out of a loop",
      async (document) => {
        const out = async () => {
          for await (const chunk of document) throw new Error(`out after ${chunk.byteLength}`);
        };
        expect(String(await rejectionOf(out()))).toContain("out after");
      },
    ],
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
    ["cancelling a response's body", async (document) => document.response().body?.cancel()],
    [
      "destroying nodeStream()",
      async (document) => {
        const stream = document.nodeStream();
        stream.destroy();
        await once(stream, "close");
      },
    ],
    [
      "destroying nodeStream() with an error",
      async (document) => {
        const stream = document.nodeStream().resume();
        const reason = new Error("enough");
        const end = rejectionOf(finished(stream));
        stream.destroy(reason);
        expect(await end).toBe(reason);
      },
    ],
    [
      "leaving a loop over nodeStream()",
      async (document) => {
        for await (const chunk of document.nodeStream()) if (chunk.length > 0) break;
      },
    ],
  ];

  it.each(ways)("%s closes the socket", async (_, letGo) => {
    const service = await Service.start(unfinished);
    const document = await generate(service.client(options));
    const { closed } = await service.request();
    await letGo(document);
    await closed;
  });

  it.each(ways)("%s leaves no listener on the signal", async (_, letGo) => {
    const service = await Service.start(unfinished);
    const signal = new CountedSignal();
    const document = await generate(service.client(options), { signal: signal.signal });
    await letGo(document);
    await (await service.request()).closed;
    expect(signal.listeners).toBe(0);
  });

  it("await using frees it, at the end of the block", async () => {
    const service = await Service.start(unfinished);
    {
      await using document = await generate(service.client(options));
      expect(document.status).toBe(200);
      expect(service.connections).toBe(1);
    }
    await (await service.request()).closed;
  });

  it("leaving a loop over the pending result closes the socket", async () => {
    const service = await Service.start(unfinished);
    for await (const chunk of generate(service.client(options))) if (chunk.byteLength > 0) break;
    await (await service.request()).closed;
  });

  it("await using after the document was read leaves its connection open", async () => {
    const service = await Service.start(withLength(pdf));
    const document = await generate(service.client(options));
    await document.bytes();
    await document[Symbol.asyncDispose]();
    await turns();
    expect(service.connections).toBe(1);
  });
});

/** A signal that counts who listens to it. */
class CountedSignal {
  readonly #controller = new AbortController();
  readonly #registered = new Map<unknown, number>();
  mostListeners = 0;

  constructor() {
    const { signal } = this;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    const registered = this.#registered;
    signal.addEventListener = (type: string, listener: unknown, ...rest: unknown[]) => {
      registered.set(listener, 1);
      this.mostListeners = Math.max(this.mostListeners, registered.size);
      (add as (...all: unknown[]) => void)(type, listener, ...rest);
    };
    signal.removeEventListener = (type: string, listener: unknown, ...rest: unknown[]) => {
      registered.delete(listener);
      (remove as (...all: unknown[]) => void)(type, listener, ...rest);
    };
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get listeners(): number {
    return this.#registered.size;
  }

  abort(reason?: unknown): void {
    this.#controller.abort(reason);
  }
}

describe.each(transports)("the caller's signal, by %s,", (_, options) => {
  const listening = async (
    client: TemplatePdf,
    use: (client: TemplatePdf, signal: CountedSignal) => Promise<unknown>,
  ) => {
    const signal = new CountedSignal();
    await use(client, signal);
    return signal;
  };

  it.each(forms)("has no listener left after %s", async (_, read) => {
    for (const answer of [withLength(pdf), inChunks(pdf)]) {
      const service = await Service.start(answer);
      const signal = await listening(service.client(options), async (client, { signal }) => {
        await read(generate(client, { signal }));
        await turns();
      });
      expect([signal.mostListeners, signal.listeners]).toEqual([1, 0]);
    }
  });

  it.each(forms)("has none left after a %s that failed, whatever failed", async (_, read) => {
    const broken = ({ response }: Parameters<typeof unfinished>[0]) => {
      response.writeHead(200, { "content-length": pdf.length });
      response.write(pdf.subarray(0, 100_000), () => response.destroy());
    };
    for (const answer of [saying(404), saying(200, "<html>"), broken, saying(500, "x".repeat(70_000))]) {
      const service = await Service.start(answer);
      const signal = await listening(service.client(options), (client, { signal }) =>
        rejectionOf(read(generate(client, { signal }))),
      );
      expect([signal.mostListeners, signal.listeners]).toEqual([1, 0]);
    }
  });

  it.each(forms)("has none left after a %s that was cancelled or aborted", async (_, read) => {
    for (const end of ["cancel", "abort"] as const) {
      const service = await Service.start(unfinished);
      const signal = await listening(service.client(options), async (client, counted) => {
        const pending = generate(client, { signal: counted.signal });
        const document = await pending;
        const failure = rejectionOf(read(document));
        if (end === "cancel") await document.cancel("enough");
        else counted.abort("enough");
        await failure;
      });
      expect(signal.listeners).toBe(0);
    }
  });

  it("has none left where nothing was sent", async () => {
    const service = await Service.start(withLength(pdf));
    const client = service.client(options);
    const signal = new CountedSignal();
    await rejectionOf(client.generate("..", {}, { signal: signal.signal }));
    await rejectionOf(generate(client.with({ apiKey: async () => "" }), { signal: signal.signal }));
    await rejectionOf(generate(client, { signal: signal.signal }).saveTo("/missing/folder/a.pdf"));
    const pending = generate(client, { signal: signal.signal });
    await pending.cancel();
    expect(signal.listeners).toBe(0);
    expect(service.requests).toHaveLength(0);
  });

  it("has none left when a call is cancelled whose key never comes", async () => {
    const service = await Service.start(withLength(pdf));
    const signal = new CountedSignal();
    let asked: (() => void) | undefined;
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const apiKey = () => {
      asked?.();
      return new Promise<string>(() => {});
    };
    const pending = generate(service.client({ ...options, apiKey }), { signal: signal.signal });
    await isAsked;
    await pending.cancel();
    expect([signal.mostListeners, signal.listeners]).toEqual([1, 0]);
  });

  it("has none left, and never more than one, in 1,000 calls one after another", async () => {
    const service = await Service.start(withLength(pdfOf(2_000)));
    const signal = await listening(service.client(options), async (client, { signal }) => {
      for (let count = 0; count < 1_000; count++) await generate(client, { signal }).bytes();
    });
    expect([signal.mostListeners, signal.listeners]).toEqual([1, 0]);
  });

  it("is not listened to by a document that has come and that nobody reads", async () => {
    const service = await Service.start(withLength(pdfOf(2_000)));
    const signal = new CountedSignal();
    const document = await generate(service.client(options), { signal: signal.signal });
    await turns(10);
    expect(signal.listeners).toBe(0);
    expect(await gather(document)).toHaveLength(2_000);
    await turns();
    expect(signal.listeners).toBe(0);
  });
});
