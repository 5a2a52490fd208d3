import { getEventListeners } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ClientOptions, type PendingPdf, TemplatePdf, TruncatedPdfError, template } from "template-pdf";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { eventually } from "../support/eventually.ts";
import {
  beginning,
  pdfOf,
  rejectionOf,
  Service,
  saying,
  strayRejections,
  transports,
  turns,
  withLength,
} from "../support/service.ts";
import { listenRaw } from "../support/sockets.ts";
import { forms, generate, temporaryFolder } from "./every-form.ts";

const pdf = pdfOf(200_000);

/** A moment of a call: how it gets there, and what has to be gone afterwards. */
interface Moment {
  /** Makes the call. */
  readonly call: (options: { signal: AbortSignal }) => PendingPdf;
  readonly reached: () => Promise<unknown>;
  readonly gone?: () => Promise<unknown>;
}

/** Something that never comes, and tells when it is waited for. */
function neverComing(): { wait: () => Promise<never>; reached: Promise<void> } {
  let tell = () => {};
  const reached = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return {
    reached,
    wait: () => {
      tell();
      return new Promise(() => {});
    },
  };
}

const served = async (
  answer: Parameters<typeof Service.start>[0],
  options: ClientOptions,
): Promise<Moment> => {
  const service = await Service.start(answer);
  return {
    call: ({ signal }) => generate(service.client(options), { signal }),
    reached: () => service.request(),
    gone: async () => (await service.request()).closed,
  };
};

const moments: readonly (readonly [string, (options: ClientOptions) => Promise<Moment>])[] = [
  [
    "while the key is awaited",
    async (options) => {
      const service = await Service.start(() => {});
      const key = neverComing();
      return {
        call: ({ signal }) => generate(service.client({ ...options, apiKey: key.wait }), { signal }),
        reached: () => key.reached,
        gone: async () => expect(service.requests).toHaveLength(0),
      };
    },
  ],
  [
    "while the schema is awaited",
    async (options) => {
      const service = await Service.start(() => {});
      const check = neverComing();
      const schema = { "~standard": { version: 1, vendor: "test", validate: check.wait } } as const;
      return {
        call: ({ signal }) => service.client(options).generate(template("uid", schema), {}, { signal }),
        reached: () => check.reached,
        gone: async () => expect(service.requests).toHaveLength(0),
      };
    },
  ],
  ["while the service is at work", (options) => served(() => {}, options)],
  [
    "before the first byte",
    (options) => served(({ response }) => response.writeHead(200).flushHeaders(), options),
  ],
  ["before the header of the PDF", (options) => served(beginning(pdf.subarray(0, 3)), options)],
  [
    "in the midst of a refusal",
    (options) => served(({ response }) => response.writeHead(400).write("{"), options),
  ],
  [
    "while it waits to try again",
    async (options) => {
      const service = await Service.start(saying(503, "", { "retry-after": "50" }));
      const apiKey = vi.fn(() => "key-of-the-tests");
      let tell = () => {};
      const waiting = new Promise<void>((resolve) => {
        tell = resolve;
      });
      const hooks = { retry: () => setImmediate(tell) };
      const client = service.client({ ...options, apiKey, hooks, retry: { limit: 2 } });
      return {
        call: ({ signal }) => generate(client, { signal }),
        reached: () => waiting,
        gone: async () => {
          expect(service.requests).toHaveLength(1);
          expect(apiKey).toHaveBeenCalledTimes(1);
        },
      };
    },
  ],
  [
    "while the second attempt is at work",
    async (options) => {
      const service = await Service.start((received) => {
        if (service.requests.length === 1) saying(503, "", { "retry-after": "0" })(received);
      });
      const client = service.client({ ...options, retry: { limit: 2 } });
      return {
        call: ({ signal }) => generate(client, { signal }),
        reached: () => service.request(1),
        gone: async () => (await service.request(1)).closed,
      };
    },
  ],
];

describe.each(transports)("a call that is given up, by %s,", (_, options) => {
  describe.each(moments)("%s,", (_, make) => {
    it.each(forms)(
      "rejects %s with the reason of the signal, and leaves nothing behind",
      async (form, read) => {
        const moment = await make(options);
        const controller = new AbortController();
        const reason = { form };
        const stray = await strayRejections(async () => {
          const pending = moment.call(controller);
          const failure = rejectionOf(read(pending));
          await moment.reached();
          controller.abort(reason);
          expect(await failure).toBe(reason);
          expect(await rejectionOf(pending)).toBe(reason);
        });
        await moment.gone?.();
        expect(stray).toEqual([]);
        expect(getEventListeners(controller.signal, "abort")).toEqual([]);
      },
    );

    it.each(forms)("rejects %s with the reason given to cancel()", async (form, read) => {
      const moment = await make(options);
      const { signal } = new AbortController();
      const reason = new Error(form);
      const stray = await strayRejections(async () => {
        const pending = moment.call({ signal });
        const failure = rejectionOf(read(pending));
        await moment.reached();
        await pending.cancel(reason);
        expect(await failure).toBe(reason);
      });
      await moment.gone?.();
      expect(stray).toEqual([]);
      expect(getEventListeners(signal, "abort")).toEqual([]);
    });

    it.each([
      ["no error", undefined],
      ["an error of this package", new TruncatedPdfError("mine", { receivedBytes: 1, attempts: 7 })],
      ["an error that says it is a system's", Object.assign(new Error("mine"), { code: "ECONNRESET" })],
      ["a string", "mine"],
    ])("rejects with %s, unchanged", async (_, reason) => {
      const moment = await make(options);
      const controller = new AbortController();
      const failure = rejectionOf(moment.call(controller).bytes());
      await moment.reached();
      controller.abort(reason);
      expect(await failure).toBe(controller.signal.reason);
      if (reason instanceof TruncatedPdfError) expect(reason.attempts).toBe(7);
    });
  });

  it("leaves no file, nor a draft of one, at any moment of saveTo()", async () => {
    for (const [, make] of moments) {
      const folder = temporaryFolder();
      const moment = await make(options);
      const controller = new AbortController();
      const failure = rejectionOf(moment.call(controller).saveTo(join(folder, "a.pdf")));
      await moment.reached();
      controller.abort();
      await failure;
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  it("while a broken document is about to be asked for again, leaves no part of a file", async () => {
    for (let turnsBefore = 0; turnsBefore < 12; turnsBefore++) {
      const service = await Service.start(breaking);
      const folder = temporaryFolder();
      const controller = new AbortController();
      const client = service.client({ ...options, retry: { limit: 9 } });
      const saving = rejectionOf(
        generate(client, { signal: controller.signal }).saveTo(join(folder, "a.pdf")),
      );
      await service.request();
      await turns(turnsBefore);
      controller.abort("enough");
      expect(await saving).toBe("enough");
      expect(readdirSync(folder)).toEqual([]);
      expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    }
  });

  it("while the file of a whole document is finished, leaves the whole of it or none", async () => {
    const outcomes = new Set<string>();
    for (let turnsBefore = 0; turnsBefore < 40; turnsBefore++) {
      const service = await Service.start(withLength(pdf));
      const folder = temporaryFolder();
      const controller = new AbortController();
      const saving = generate(service.client(options), { signal: controller.signal })
        .saveTo(join(folder, "a.pdf"))
        .then(
          ({ bytes }) => bytes,
          (error) => error,
        );
      await service.request();
      await turns(turnsBefore);
      controller.abort("enough");
      const outcome = await saving;
      outcomes.add(String(outcome));
      const isSaved = outcome === pdf.length;
      if (!isSaved) expect(outcome).toBe("enough");
      expect(readdirSync(folder)).toEqual(isSaved ? ["a.pdf"] : []);
      if (isSaved) expect(pdf.equals(readFileSync(join(folder, "a.pdf")))).toBe(true);
      expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    }
    expect([...outcomes]).toContain("enough");
  });

  it("while it waits to try again, stops the clock", async () => {
    const service = await Service.start(saying(503, "", { "retry-after": "50" }));
    const sleeps = vi.spyOn(globalThis, "setTimeout");
    const stops = vi.spyOn(globalThis, "clearTimeout");
    onTestFinished(() => void vi.restoreAllMocks());
    const controller = new AbortController();
    const hooks = { retry: () => setImmediate(() => controller.abort("enough")) };
    const client = service.client({ ...options, hooks, retry: { limit: 1 } });
    await rejectionOf(generate(client, { signal: controller.signal }).bytes());
    const long = sleeps.mock.results.filter((_, index) => (sleeps.mock.calls[index]?.[1] ?? 0) > 5_000);
    expect(long.length).toBeGreaterThan(0);
    for (const { value } of long) expect(stops).toHaveBeenCalledWith(value);
  });
});

function breaking({ response, socket }: Parameters<Parameters<typeof Service.start>[0]>[0]): void {
  response.writeHead(200, { "content-length": pdf.length });
  response.write(pdf.subarray(0, 100_000), () => socket.destroy());
}

/** A server that takes connections and never says a word. */
async function silentServer() {
  const server = await listenRaw((socket) => void sockets.push(socket.resume()));
  const sockets: Parameters<Parameters<typeof listenRaw>[0]>[0][] = [];
  onTestFinished(() => server.close());
  return { server, sockets };
}

describe("a connection that is being opened by our own agent", () => {
  const isDestroyed = async (
    { server, sockets }: Awaited<ReturnType<typeof silentServer>>,
    baseUrl: string,
  ) => {
    const client = new TemplatePdf({ baseUrl, apiKey: "key-of-the-tests", retry: false });
    const controller = new AbortController();
    const failure = rejectionOf(generate(client, { signal: controller.signal }).bytes());
    await eventually(() => sockets.length === 1);
    controller.abort("enough");
    expect(await failure).toBe("enough");
    await eventually(() => server.openSockets === 0);
    await client.close();
  };

  it("is destroyed when the call is given up in the TLS handshake", async () => {
    const silent = await silentServer();
    await isDestroyed(silent, `https://127.0.0.1:${silent.server.port}`);
  });

  it("is destroyed when the call is given up while a proxy is asked for it", async () => {
    const silent = await silentServer();
    vi.stubEnv("HTTPS_PROXY", silent.server.origin);
    onTestFinished(() => void vi.unstubAllEnvs());
    await isDestroyed(silent, "https://service.test");
  });
});
