import { getEventListeners } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ClientOptions, type PendingPdf, TruncatedPdfError, template } from "template-pdf";
import { describe, expect, it } from "vitest";
import {
  type Answer,
  beginning,
  cutOffAfter,
  pdfOf,
  rejectionOf,
  Service,
  saying,
  strayRejections,
  transports,
  turns,
  withLength,
} from "../support/service.ts";
import { forms, generate, temporaryFolder } from "./every-form.ts";

const pdf = pdfOf(200_000);
const half = beginning(pdf.subarray(0, 100_000), { "content-length": String(pdf.length) });

/** How a call gets to a moment, and what has to be gone afterwards. */
interface Moment {
  readonly call: (signal: AbortSignal) => PendingPdf;
  readonly reached: () => Promise<unknown>;
  readonly gone: () => Promise<unknown>;
}

type Moments = readonly (readonly [string, (options: ClientOptions) => Promise<Moment>])[];

/** Waits for the request, and then for the end of its connection. */
const served =
  (answer: Answer) =>
  async (options: ClientOptions): Promise<Moment> => {
    const service = await Service.start(answer);
    return {
      call: (signal) => generate(service.client(options), { signal }),
      reached: () => service.request(),
      gone: async () => (await service.request()).closed,
    };
  };

/** Waits for something that never comes, so that only `requests` are sent. */
async function waiting(
  answer: Answer,
  requests: number,
  make: (service: Service, wait: () => Promise<never>) => (signal: AbortSignal) => PendingPdf,
): Promise<Moment> {
  const service = await Service.start(answer);
  let tell = () => {};
  const reached = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const wait = () => {
    setImmediate(tell);
    return new Promise<never>(() => {});
  };
  return {
    call: make(service, wait),
    reached: () => reached,
    gone: async () => expect(service.requests).toHaveLength(requests),
  };
}

const moments: Moments = [
  [
    "before anything is sent",
    async (options) => {
      const service = await Service.start(half);
      return {
        call: (signal) => generate(service.client(options), { signal }),
        reached: async () => {},
        gone: async () => expect(service.requests).toHaveLength(0),
      };
    },
  ],
  [
    "while the key is awaited",
    (options) =>
      waiting(
        half,
        0,
        (service, wait) => (signal) => generate(service.client({ ...options, apiKey: wait }), { signal }),
      ),
  ],
  [
    "while the schema is awaited",
    (options) =>
      waiting(half, 0, (service, wait) => (signal) => {
        const schema = { "~standard": { version: 1, vendor: "test", validate: wait } } as const;
        return service.client(options).generate(template("uid", schema), {}, { signal });
      }),
  ],
  ["while the service is at work", served(() => {})],
  ["before the first byte", served(({ response }) => response.writeHead(200).flushHeaders())],
  ["before the header of the PDF", served(beginning(pdf.subarray(0, 3)))],
  ["during an error response", served(({ response }) => response.writeHead(400).write("{"))],
  [
    "while it waits for a retry",
    (options) =>
      waiting(saying(503, "", { "retry-after": "50" }), 1, (service, wait) => {
        const client = service.client({ ...options, hooks: { retry: wait }, retry: { limit: 2 } });
        return (signal) => generate(client, { signal });
      }),
  ],
  [
    "during the second attempt",
    async (options) => {
      const service: Service = await Service.start((received) => {
        if (service.requests.length === 1) saying(503, "", { "retry-after": "0" })(received);
      });
      const client = service.client({ ...options, retry: { limit: 1 } });
      return {
        call: (signal) => generate(client, { signal }),
        reached: () => service.request(1),
        gone: async () => (await service.request(1)).closed,
      };
    },
  ],
];

/** Errors that could be taken for another failure, and reasons that are not errors. */
const reasons = [
  undefined,
  null,
  "the customer left",
  new DOMException("too slow", "TimeoutError"),
  new TruncatedPdfError("mine", { receivedBytes: 1, attempts: 7 }),
  Object.assign(new Error("reset"), { code: "ECONNRESET", syscall: "read" }),
];

describe.each(transports)("a call that is cancelled by %s", (_, options) => {
  describe.each(moments)("%s", (_, make) => {
    it.each(["bytes()", "nodeStream()", "saveTo()"])(
      "rejects %s with the reason of the signal or of cancel(), and leaves nothing behind",
      async (name) => {
        const read = forms.find(([form]) => form === name)?.[1] as (typeof forms)[number][1];
        for (const end of ["abort", "cancel"] as const) {
          const moment = await make(options);
          const controller = new AbortController();
          const reason = { end };
          const stray = await strayRejections(async () => {
            const pending = moment.call(controller.signal);
            const failure = rejectionOf(read(pending));
            await moment.reached();
            if (end === "abort") controller.abort(reason);
            else await pending.cancel(reason);
            expect(await failure).toBe(reason);
            expect(await rejectionOf(pending)).toBe(reason);
          });
          await moment.gone();
          expect(stray).toEqual([]);
          expect(getEventListeners(controller.signal, "abort")).toEqual([]);
        }
      },
    );

    it("rejects with any reason unchanged", async () => {
      for (const reason of reasons) {
        const moment = await make(options);
        const controller = new AbortController();
        const failure = rejectionOf(moment.call(controller.signal).bytes());
        await moment.reached();
        controller.abort(reason);
        expect(await failure).toBe(controller.signal.reason);
        if (reason instanceof TruncatedPdfError) expect(reason.attempts).toBe(7);
      }
    });

    it("leaves no file, nor a part of one", async () => {
      const folder = temporaryFolder();
      const moment = await make(options);
      const controller = new AbortController();
      const failure = rejectionOf(moment.call(controller.signal).saveTo(join(folder, "a.pdf")));
      await moment.reached();
      controller.abort();
      await failure;
      expect(readdirSync(folder)).toEqual([]);
    });
  });

  it("at any moment of a retry leaves no part of a file", async () => {
    for (let turnsBefore = 0; turnsBefore < 12; turnsBefore++) {
      const service = await Service.start(cutOffAfter(pdf, 100_000));
      const folder = temporaryFolder();
      const { signal, abort } = controlled();
      const client = service.client({ ...options, retry: { limit: 9 } });
      const saving = rejectionOf(generate(client, { signal }).saveTo(join(folder, "a.pdf")));
      await service.request();
      await turns(turnsBefore);
      abort("enough");
      expect(await saving).toBe("enough");
      expect(readdirSync(folder)).toEqual([]);
      expect(getEventListeners(signal, "abort")).toEqual([]);
    }
  });

  it("at any moment of saveTo() leaves the whole file or none", async () => {
    const outcomes = new Set<unknown>();
    for (let turnsBefore = 0; turnsBefore < 40; turnsBefore++) {
      const service = await Service.start(withLength(pdf));
      const path = join(temporaryFolder(), "a.pdf");
      const { signal, abort } = controlled();
      const saving = generate(service.client(options), { signal })
        .saveTo(path)
        .then(
          ({ bytes }) => bytes,
          (error: unknown) => error,
        );
      await service.request();
      await turns(turnsBefore);
      abort("enough");
      const outcome = await saving;
      outcomes.add(outcome);
      expect(["enough", pdf.length]).toContain(outcome);
      const isSaved = outcome === pdf.length;
      expect(readdirSync(join(path, ".."))).toEqual(isSaved ? ["a.pdf"] : []);
      if (isSaved) expect(pdf.equals(readFileSync(path))).toBe(true);
      expect(getEventListeners(signal, "abort")).toEqual([]);
    }
    expect([...outcomes]).toContain("enough");
  });
});

function controlled() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason?: unknown) => controller.abort(reason) };
}
