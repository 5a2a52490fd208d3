import { once } from "node:events";
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CallOptions, type PendingPdf, type StandardSchemaV1, template } from "template-pdf";
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
import { generate, outputMethods, temporaryFolder } from "./every-form.ts";

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

  it("caught outputs and awaits of one call or several leave no unhandled rejection", async () => {
    const stray = await strayOf(async (service) => {
      for (const [, read] of outputMethods) await rejectionOf(read(fail(service)));
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

it("cancel() causes no unhandled rejection, immediately, after the document arrived or with streams that are not read", async () => {
  const service = await Service.start(withLength(pdf));
  const started = await Service.start(({ response }) => void response.writeHead(200).write(pdf));
  const stray = await strayRejections(async () => {
    await generate(service.client()).cancel();
    await (await generate(service.client())).cancel();
    for (const output of ["stream", "nodeStream", "response"] as const) {
      const document = await generate(started.client());
      document[output]();
      await document.cancel(new Error("enough"));
    }
  });
  expect(stray).toEqual([]);
});

describe("saveTo() to a missing folder leaves no unhandled rejection", () => {
  it.each([0, 2, 5])("%i microtasks after another saveTo()", async (count) => {
    const service = await Service.start(withLength(pdf));
    const folder = temporaryFolder();
    const stray = await strayRejections(async () => {
      const pending = generate(service.client());
      const good = pending.saveTo(join(folder, "a.pdf"));
      for (let left = count; left > 0; left--) await undefined;
      await Promise.allSettled([good, pending.saveTo(join(folder, "missing", "b.pdf"))]);
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
        expect(await rejectionOf(pending.saveTo(join(folder, "missing", name)))).toMatchObject(error);
        await diskAtRest();
      }
    });
    expect(stray).toEqual([]);
  });
});
