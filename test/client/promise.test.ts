import { once } from "node:events";
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CallOptions,
  ConfigurationError,
  type PendingPdf,
  type StandardSchemaV1,
  template,
  ValuesError,
} from "template-pdf";
import { describe, expect, it } from "vitest";
import manifest from "../../package.json";
import {
  pdfOf,
  rejectionOf,
  Service,
  saying,
  strayRejections,
  turns,
  withLength,
} from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { generate, outputMethods } from "./output-methods.ts";

const pdf = pdfOf(2_000);
const silent = () => {};
const refused = () => Promise.reject(new Error("no"));
const serve = () => Service.start(withLength(pdf, { "x-request-id": "r-1" }));

describe("generate()", () => {
  it("sends a complete request even before the result is awaited", async () => {
    const service = await serve();
    const pending = service.client().generate("inv/2024 ü", { total: "£1,000,000", none: undefined });
    const { path, headers, body } = await service.request();
    expect(path).toBe("/api/v1/templates/inv%2F2024%20%C3%BC/generate-sync");
    expect(headers.authorization).toBe("API-Key key-of-the-tests");
    expect(headers["content-type"]).toBe("application/json");
    expect(headers.accept).toBe("application/pdf");
    expect(headers["user-agent"]).toBe(`template-pdf/${manifest.version}`);
    expect(body).toBe('{"total":"£1,000,000"}');
    await (await pending).cancel();
  });

  it("sends the caller's `accept` and `user-agent` instead of its own, also from a derived client", async () => {
    const service = await serve();
    const client = service.client({ headers: { "User-Agent": "billing/7" } });
    await client.generate("invoice", {}, { headers: { Accept: "*/*" } }).bytes();
    await client.with({ verify: true }).generate("invoice", {}).bytes();
    const sent = service.requests.map(({ headers }) => [headers["user-agent"], headers.accept]);
    expect(sent).toEqual([
      ["billing/7", "*/*"],
      ["billing/7", "application/pdf"],
    ]);
  });

  it("rejects every output and the promise itself with the same error", async () => {
    const service = await Service.start(saying(404));
    const pending = generate(service.client());
    const early = outputMethods.map(([, read]) => rejectionOf(read(pending)));
    const error = await rejectionOf(pending);
    expect(error).toMatchObject({ code: "not_found" });
    const late = outputMethods.map(([, read]) => rejectionOf(read(pending)));
    for (const other of await Promise.all([...early, ...late])) expect(other).toBe(error);
  });

  it("returns both an output and the document if both are awaited", async () => {
    const pending = generate((await serve()).client());
    const bytes = pending.bytes();
    const document = await pending;
    expect(document.requestId).toBe("r-1");
    expect(pdf.equals(await bytes)).toBe(true);
  });
});

describe("a pending result", () => {
  it("works as a promise in Promise.all, Promise.race and Promise.resolve", async () => {
    const pending = generate((await serve()).client());
    expect(pending).toBeInstanceOf(Promise);
    expect(Object.prototype.toString.call(pending)).toBe("[object Promise]");
    const document = await pending;
    const others = [Promise.race([pending]), Promise.resolve(pending), pending];
    for (const other of await Promise.all(others)) expect(other).toBe(document);
  });

  it("returns plain promises from then, catch and finally", async () => {
    const pending = generate((await serve()).client());
    const children = [pending.then(), pending.catch(() => {}), pending.finally(() => {})];
    for (const child of children) {
      expect(Object.getPrototypeOf(child)).toBe(Promise.prototype);
      expect(child).not.toHaveProperty("bytes");
    }
    const Constructor = pending.constructor as typeof Promise;
    expect(Constructor[Symbol.species]).toBe(Promise);
    expect(Object.getPrototypeOf(Constructor.resolve(1))).toBe(Promise.prototype);
    expect(await Promise.all(children)).toHaveLength(3);
  });
});

const values = { total: "1" };

it.each([
  ["an invalid uid", ["..", values], ConfigurationError],
  ["omitted values", ["uid"], ValuesError],
  ["options that are null", ["uid", values, null], ConfigurationError],
  ["an unknown option", ["uid", values, { sgnal: undefined }], ConfigurationError],
  ["a signal that is not an AbortSignal", ["uid", values, { signal: {} }], ConfigurationError],
  ["a custom authorization header", ["uid", values, { headers: { Authorization: "x" } }], ConfigurationError],
  ["an onProgress that is not a function", ["uid", values, { onProgress: {} }], ConfigurationError],
  ["a verify option that is a string", ["uid", values, { verify: "yes" }], ConfigurationError],
])("generate() rejects without sending a request: %s", async (_, given, ErrorClass) => {
  const service = await serve();
  const client = service.client();
  const error = await rejectionOf(client.generate(...(given as Parameters<typeof client.generate>)));
  expect(error).toBeInstanceOf(ErrorClass);
  expect(error).toMatchObject({ attempts: 0 });
  await client.close();
  expect(service.requests).toHaveLength(0);
});

/** Waits for at least as many file system operations as the path check needs. */
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
  ["an aborted signal", (service) => generate(service.client(), { signal: AbortSignal.abort("no") })],
  ["an invalid option", (service) => generate(service.client(), { maxBytes: 0 } as CallOptions)],
];

describe.each(failures)("after %s", (_, fail) => {
  const strayOf = async (run: (service: Service) => Promise<unknown>) => {
    const service = await Service.start(saying(404));
    return strayRejections(() => run(service));
  };

  it("catching the rejection of an output or result prevents an unhandled rejection", async () => {
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
    ["a pending result that is ignored", (pending: PendingPdf) => void pending],
    ["an output whose rejection is not caught", (pending: PendingPdf) => void pending.bytes()],
  ])("%s causes one unhandled rejection", async (_, use) => {
    const stray = await strayOf(async (service) => {
      use(fail(service));
      await once(process, "unhandledRejection").catch(silent);
    });
    expect(stray).toHaveLength(1);
  });
});

it("cancel() does not cause an unhandled rejection even if a stream has not been read", async () => {
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

describe("unhandled rejections from two saveTo() calls", () => {
  it.each([0, 2, 5])("do not occur if only the later call fails (%i microtasks later)", async (count) => {
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

  it.each([true, false])("do not occur if both calls fail (result cancelled: %s)", async (isCancelled) => {
    const service = await Service.start(withLength(pdf));
    const stray = await strayRejections(async () => {
      const pending = generate(service.client());
      if (isCancelled) await pending.cancel(new Error("enough"));
      for (const name of ["a.pdf", "b.pdf"]) {
        const failure = rejectionOf(pending.saveTo(join(temporaryFolder(), "missing", name)));
        expect(await failure).toMatchObject(isCancelled ? { message: "enough" } : { name: "SaveError" });
        await diskAtRest();
      }
    });
    expect(stray).toEqual([]);
  });
});
