import { getEventListeners } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ClientOptions, type PendingPdf, TruncatedPdfError, template } from "template-pdf";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
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
import { later } from "../support/sockets.ts";
import { controlled, reasons } from "./aborts.ts";
import { generate, temporaryFolder } from "./every-form.ts";

const pdf = pdfOf(200_000);
const half = beginning(pdf.subarray(0, 100_000), { "content-length": String(pdf.length) });

/** A moment of a call at which it is cancelled. */
interface Moment {
  readonly call: (signal: AbortSignal) => PendingPdf;
  readonly reached: () => Promise<unknown>;
  readonly gone: () => Promise<unknown>;
}

/** Waits for the last of `requests`, and then until its connection is closed. */
const served =
  (answer: Answer, { requests = 1, first = answer } = {}) =>
  async (options: ClientOptions): Promise<Moment> => {
    const service: Service = await Service.start((received) =>
      (service.requests.length < requests ? first : answer)(received),
    );
    const client = service.client({ ...options, retry: { limit: requests - 1 } });
    return {
      call: (signal) => generate(client, { signal }),
      reached: () => service.request(requests - 1),
      gone: async () => (await service.request(requests - 1)).closed,
    };
  };

/** Waits for something that never happens, so that only `requests` requests are sent. */
const waiting =
  (
    answer: Answer,
    requests: number,
    make: (
      client: (more: ClientOptions) => ReturnType<Service["client"]>,
      wait: () => Promise<never>,
    ) => Moment["call"],
  ) =>
  async (options: ClientOptions): Promise<Moment> => {
    const service = await Service.start(answer);
    const { promise: reached, resolve: reportReached } = later<void>();
    const wait = () => {
      setImmediate(reportReached);
      return new Promise<never>(() => {});
    };
    return {
      call: make((more) => service.client({ ...options, ...more }), wait),
      reached: () => reached,
      gone: async () => expect(service.requests).toHaveLength(requests),
    };
  };

const moments: readonly (readonly [string, (options: ClientOptions) => Promise<Moment>])[] = [
  [
    "before anything is sent",
    async (options) => {
      const moment = waiting(half, 0, (client) => (signal) => generate(client({}), { signal }));
      return { ...(await moment(options)), reached: async () => {} };
    },
  ],
  [
    "while the key is awaited",
    waiting(half, 0, (client, wait) => (signal) => generate(client({ apiKey: wait }), { signal })),
  ],
  [
    "while the schema is awaited",
    waiting(half, 0, (client, wait) => (signal) => {
      const schema = { "~standard": { version: 1, vendor: "test", validate: wait } } as const;
      return client({}).generate(template("uid", schema), {}, { signal });
    }),
  ],
  ["while the service renders", served(() => {})],
  ["before the first byte", served(({ response }) => response.writeHead(200).flushHeaders())],
  ["before the header of the PDF", served(beginning(pdf.subarray(0, 3)))],
  ["during an error response", served(({ response }) => response.writeHead(400).write("{"))],
  [
    "during the delay before a retry",
    waiting(saying(503, "", { "retry-after": "50" }), 1, (client, wait) => {
      const retrying = client({ hooks: { retry: wait }, retry: { limit: 2 } });
      return (signal) => generate(retrying, { signal });
    }),
  ],
  [
    "during the second attempt",
    served(() => {}, { requests: 2, first: saying(503, "", { "retry-after": "0" }) }),
  ],
];

/** Each output is cancelled with different reasons, so that every moment is tested with every reason. */
const outputs: readonly (readonly [
  string,
  (from: PendingPdf, folder: string) => Promise<unknown>,
  unknown[],
])[] = [
  ["bytes()", (from) => from.bytes(), reasons.slice(0, 2)],
  ["nodeStream()", (from) => from.nodeStream(), reasons.slice(2, 4)],
  ["saveTo()", (from, folder) => from.saveTo(join(folder, "a.pdf")), reasons.slice(4)],
];

describe.each(transports)("a call over %s that is cancelled", (_, options) => {
  describe.each(moments)("%s", (_, make) => {
    it.each(outputs)(
      "rejects %s with the reason of the abort, and releases all resources",
      async (_, read, ownReasons) => {
        for (const [reason, end] of ownReasons.flatMap(
          (one) =>
            [
              [one, "abort"],
              [one, "cancel"],
            ] as const,
        )) {
          const moment = await make(options);
          const folder = temporaryFolder();
          const { signal, abort } = controlled();
          const stray = await strayRejections(async () => {
            const pending = moment.call(signal);
            const failure = rejectionOf(read(pending, folder));
            await moment.reached();
            if (end === "abort") abort(reason);
            else await pending.cancel(reason);
            const error = await failure;
            if (end === "abort") expect(error).toBe(signal.reason);
            else if (reason === undefined) expect(error).toMatchObject({ name: "AbortError" });
            else expect(error).toBe(reason);
            expect(await rejectionOf(pending)).toBe(error);
            if (reason instanceof TruncatedPdfError) expect(reason.attempts).toBe(7);
          });
          await moment.gone();
          expect(stray).toEqual([]);
          expect(getEventListeners(signal, "abort")).toEqual([]);
          // The check of the path before the request may still be removing its temporary file.
          await eventually(() => readdirSync(folder).length === 0);
        }
      },
    );
  });

  it("at any moment of a retry leaves no temporary file", async () => {
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

  it("at any moment of saveTo() leaves a complete file or no file", async () => {
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
