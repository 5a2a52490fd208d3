import { once } from "node:events";
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CallOptions, type PendingPdf, SaveError, type StandardSchemaV1, template } from "template-pdf";
import { describe, expect, it } from "vitest";
import {
  pdfOf,
  rejectionOf,
  Service,
  saying,
  strayRejections,
  turns,
  withLength,
} from "../support/service.ts";
import { failureAt, generate, outputMethods, temporaryFolder } from "./every-form.ts";

const pdf = pdfOf(2_000);
const silent = () => {};
const refused = () => Promise.reject(new Error("no"));

/** Waits for as many file system operations as the check of a path. */
async function diskAtRest(): Promise<void> {
  for (let count = 0; count < 20; count++) await stat(tmpdir());
  await turns();
}

const schema: StandardSchemaV1<object, object> = {
  "~standard": { version: 1, vendor: "test", validate: refused },
};

/** Failures of a call before and after its request is sent. */
const failures: readonly (readonly [string, (service: Service) => PendingPdf])[] = [
  ["a 404", (service) => generate(service.client())],
  ["a 404 over fetch", (service) => generate(service.client({ fetch: globalThis.fetch }))],
  ["values that cannot be sent", (service) => service.client().generate("uid", { total: Number.NaN })],
  ["a schema that rejects", (service) => service.client().generate(template("uid", schema), {})],
  ["an API key function that rejects", (service) => generate(service.client({ apiKey: refused }))],
  ["a signal that was aborted", (service) => generate(service.client(), { signal: AbortSignal.abort("no") })],
  ["an invalid option", (service) => generate(service.client(), { maxBytes: 0 } as CallOptions)],
];

describe.each(failures)("after %s", (_, fail) => {
  const strayOf = async (run: (service: Service) => Promise<unknown>) => {
    const service = await Service.start(saying(404));
    return strayRejections(() => run(service));
  };

  it.each(outputMethods)("a caught %s leaves no unhandled rejection", async (_, read) => {
    expect(await strayOf((service) => failureAt("the pending result", fail(service), read))).toEqual([]);
  });

  it("several caught awaits and outputs of one call leave no unhandled rejection", async () => {
    const stray = await strayOf(async (service) => {
      const pending = fail(service);
      await Promise.allSettled([pending, pending.bytes(), pending.stream()]);
      await fail(service).then(silent, silent);
      await fail(service).catch(silent);
    });
    expect(stray).toEqual([]);
  });

  it.each([
    ["a result that is ignored", (pending: PendingPdf) => void pending],
    ["an output that is not caught", (pending: PendingPdf) => void pending.bytes()],
  ])("%s causes one unhandled rejection", async (_, use) => {
    const stray = await strayOf(async (service) => {
      use(fail(service));
      await once(process, "unhandledRejection").catch(silent);
    });
    expect(stray).toHaveLength(1);
  });
});

it.each<[string, () => Promise<Service>, (service: Service) => Promise<unknown>]>([
  ["immediately", () => Service.start(withLength(pdf)), (service) => generate(service.client()).cancel()],
  [
    "of a document that arrived",
    () => Service.start(withLength(pdf)),
    async (service) => (await generate(service.client())).cancel(),
  ],
  [
    "of streams that are not read",
    () => Service.start(({ response }) => void response.writeHead(200).write(pdf)),
    async (service) => {
      for (const output of ["stream", "response"] as const) {
        const document = await generate(service.client());
        document[output]();
        await document.cancel(new Error("enough"));
      }
    },
  ],
])("cancel() %s causes no unhandled rejection", async (_, start, run) => {
  const service = await start();
  expect(await strayRejections(() => run(service))).toEqual([]);
});

describe("saveTo() to a missing folder leaves no unhandled rejection", () => {
  it.each([0, 1, 2, 3, 5])("%i microtasks after another saveTo()", async (count) => {
    const service = await Service.start(withLength(pdf));
    const folder = temporaryFolder();
    const stray = await strayRejections(async () => {
      const pending = generate(service.client());
      const good = pending.saveTo(join(folder, "a.pdf"));
      for (let left = count; left > 0; left--) await undefined;
      await Promise.allSettled([good, rejectionOf(pending.saveTo(join(folder, "missing", "b.pdf")))]);
      await diskAtRest();
    });
    expect(stray).toEqual([]);
  });

  it.each([
    ["after cancel()", true, { message: "enough" }],
    ["twice", false, { name: "SaveError" }],
  ])("%s", async (_, isCancelled, error) => {
    const service = await Service.start(withLength(pdf));
    const folder = temporaryFolder();
    const stray = await strayRejections(async () => {
      const pending = generate(service.client());
      if (isCancelled) await pending.cancel(new Error("enough"));
      for (const name of ["a.pdf", "b.pdf"]) {
        const failure = await rejectionOf(pending.saveTo(join(folder, "missing", name)));
        expect(failure).toMatchObject(error);
        expect(SaveError.is(failure)).toBe(!isCancelled);
        await diskAtRest();
      }
    });
    expect(stray).toEqual([]);
  });
});
