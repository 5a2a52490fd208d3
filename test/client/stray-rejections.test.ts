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
import { failureAt, forms, generate, temporaryFolder } from "./every-form.ts";

const pdf = pdfOf(2_000);
const silent = () => {};

/** Waits for as much of the file system as a check of a path does. */
async function diskAtRest(): Promise<void> {
  for (let count = 0; count < 20; count++) await stat(tmpdir());
  await turns();
}

function schemaThat(validate: () => Promise<never>): StandardSchemaV1<object, object> {
  return { "~standard": { version: 1, vendor: "test", validate } };
}

/** Ways in which a call fails, before and after it is sent. */
const failures: readonly (readonly [string, (service: Service) => PendingPdf])[] = [
  ["a 404", (service) => generate(service.client())],
  ["a 404 over fetch", (service) => generate(service.client({ fetch: globalThis.fetch }))],
  ["values that cannot be sent", (service) => service.client().generate("uid", { total: Number.NaN })],
  [
    "a schema that rejects",
    (service) => {
      const checked = template(
        "uid",
        schemaThat(() => Promise.reject(new Error("no"))),
      );
      return service.client().generate(checked, {});
    },
  ],
  [
    "a key source that rejects",
    (service) => generate(service.client({ apiKey: () => Promise.reject(new Error("no")) })),
  ],
  [
    "a key source that throws",
    (service) =>
      generate(
        service.client({
          apiKey: () => {
            throw new Error("no");
          },
        }),
      ),
  ],
  [
    "a signal that was aborted before",
    (service) => generate(service.client(), { signal: AbortSignal.abort(new Error("no")) }),
  ],
  ["an option that is wrong", (service) => generate(service.client(), { maxBytes: 0 } as CallOptions)],
];

describe.each(failures)("after %s", (_, fail) => {
  it.each(forms)("a caught %s leaves no unhandled rejection behind", async (_, read) => {
    const service = await Service.start(saying(404));
    const stray = await strayRejections(() => failureAt("the pending result", fail(service), read));
    expect(stray).toEqual([]);
  });

  it("two caught forms leave none behind", async () => {
    const service = await Service.start(saying(404));
    const stray = await strayRejections(async () => {
      const pending = fail(service);
      await Promise.allSettled([pending.bytes(), pending.stream()]);
    });
    expect(stray).toEqual([]);
  });

  it("a caught await leaves none behind, nor does a form beside it", async () => {
    const service = await Service.start(saying(404));
    const stray = await strayRejections(async () => {
      const pending = fail(service);
      await Promise.allSettled([pending, pending.bytes()]);
      await fail(service).then(silent, silent);
      await fail(service).catch(silent);
    });
    expect(stray).toEqual([]);
  });

  it("a result that nobody ever looked at is an unhandled rejection", async () => {
    const service = await Service.start(saying(404));
    const stray = await strayRejections(async () => {
      fail(service);
      await once(process, "unhandledRejection").catch(silent);
    });
    expect(stray).toHaveLength(1);
  });

  it("a form that nobody catches is one unhandled rejection, not two", async () => {
    const service = await Service.start(saying(404));
    const stray = await strayRejections(async () => {
      fail(service).bytes();
      await once(process, "unhandledRejection").catch(silent);
    });
    expect(stray).toHaveLength(1);
  });
});

describe("cancel() with nobody listening is no unhandled rejection", () => {
  it("at once", async () => {
    const service = await Service.start(withLength(pdf));
    expect(await strayRejections(() => generate(service.client()).cancel())).toEqual([]);
  });

  it("while the service is at work", async () => {
    const service = await Service.start(silent);
    const stray = await strayRejections(async () => {
      const pending = generate(service.client());
      const { closed } = await service.request();
      await pending.cancel(new Error("enough"));
      await closed;
    });
    expect(stray).toEqual([]);
  });

  it("of a document that arrived", async () => {
    const service = await Service.start(withLength(pdf));
    const stray = await strayRejections(async () => {
      const document = await generate(service.client());
      await document.cancel();
      await turns();
    });
    expect(stray).toEqual([]);
  });

  it("of streams that nobody reads", async () => {
    const service = await Service.start(({ response }) => void response.writeHead(200).write(pdf));
    const stray = await strayRejections(async () => {
      for (const form of ["stream", "response"] as const) {
        const document = await generate(service.client());
        document[form]();
        await document.cancel(new Error("enough"));
      }
      await turns();
    });
    expect(stray).toEqual([]);
  });
});

describe("saveTo() to where nothing can be saved leaves no unhandled rejection behind", () => {
  const saveTwice = async (pending: PendingPdf, meanwhile: () => Promise<unknown>) => {
    const folder = temporaryFolder();
    const good = pending.saveTo(join(folder, "a.pdf"));
    await meanwhile();
    const bad = rejectionOf(pending.saveTo(join(folder, "missing", "b.pdf")));
    await Promise.allSettled([good, bad]);
    await diskAtRest();
  };

  it.each([0, 1, 2, 3, 5])("when asked %i microtasks after another saveTo()", async (count) => {
    const service = await Service.start(withLength(pdf));
    const stray = await strayRejections(() =>
      saveTwice(generate(service.client()), async () => {
        for (let left = count; left > 0; left--) await undefined;
      }),
    );
    expect(stray).toEqual([]);
  });

  it("when the document was cancelled before", async () => {
    const service = await Service.start(withLength(pdf));
    const folder = temporaryFolder();
    const stray = await strayRejections(async () => {
      const pending = generate(service.client());
      await pending.cancel(new Error("enough"));
      await turns();
      const error = await rejectionOf(pending.saveTo(join(folder, "missing", "a.pdf")));
      expect(error).toMatchObject({ message: "enough" });
      await diskAtRest();
    });
    expect(stray).toEqual([]);
  });

  it("when it could not be saved the first time either", async () => {
    const service = await Service.start(withLength(pdf));
    const folder = temporaryFolder();
    const stray = await strayRejections(async () => {
      const pending = generate(service.client());
      for (const name of ["a.pdf", "b.pdf"]) {
        expect(await rejectionOf(pending.saveTo(join(folder, "missing", name)))).toBeInstanceOf(SaveError);
        await diskAtRest();
      }
    });
    expect(stray).toEqual([]);
  });
});
