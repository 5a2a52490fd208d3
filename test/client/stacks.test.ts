import { ConnectionError, TemplatePdf, TimeoutError } from "template-pdf";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  beginning,
  cutOffAfter,
  pdfOf,
  rejectionOf,
  Service,
  saying,
  strayRejections,
} from "../support/service.ts";
import { generate, outputMethods, temporaryFolder } from "./every-form.ts";
import { documentCallers, failureOf, indirectCallers, pendingCallers, streams } from "./stacks/callers.mjs";
import { expectCallersLine, type Seen } from "./stacks/expect-stack.ts";
import { type Failure, startFailures } from "./stacks/failures.ts";

const missing = saying(404, "There is no such template.");

/** Runs in a temporary folder, because some callers save files. */
function clientFor({ options }: Failure): TemplatePdf {
  vi.spyOn(process, "cwd").mockReturnValue(temporaryFolder());
  const client = new TemplatePdf({ apiKey: "key-of-the-tests", retry: false, ...options });
  onTestFinished(() => {
    vi.restoreAllMocks();
    return client.close();
  });
  return client;
}

type Caller = Parameters<typeof failureOf>[0];

async function expectLineOf(caller: Caller, failure: Failure): Promise<void> {
  const seen = await failureOf(caller, clientFor(failure), [failure.uid, failure.values]);
  expect(seen.error).toMatchObject({ name: failure.name });
  expectCallersLine(seen);
}

it.each(Object.entries(pendingCallers))(
  "the stack contains the line that awaits %s if the call fails before the document",
  async (_, caller) => {
    const { early } = await startFailures();
    for (const failure of Object.values(early)) await expectLineOf(caller, failure);
  },
);

const readers = Object.entries({ ...pendingCallers, ...documentCallers });

it.each(readers.filter(([name]) => !streams.includes(name)))(
  "the stack contains the line that awaits %s if the document is interrupted",
  async (_, caller) => {
    const { late } = await startFailures();
    for (const failure of Object.values(late)) await expectLineOf(caller, failure);
  },
);

it.each(Object.entries(indirectCallers))("the stack contains the line that awaits %s", async (_, caller) => {
  const { early } = await startFailures();
  await expectLineOf(caller, early["a 404"] as Failure);
});

describe("an error whose caller is not on the stack", () => {
  it("keeps its original stack if it is not awaited", async () => {
    const service = await Service.start(missing);
    const error = await new Promise<Error>((resolve) => {
      generate(service.client()).bytes().catch(resolve);
    });
    expect(error.stack).toContain(`NotFoundError: ${error.message}\n    at `);
  });

  it.each(outputMethods.filter(([method]) => streams.includes(method)))(
    "keeps its name, message and stack if it interrupts %s during a read",
    async (_, read) => {
      const service = await Service.start(cutOffAfter(pdfOf(100_000), 50_000));
      const error = (await rejectionOf(read(generate(service.client())))) as Error;
      expect(error.stack).toContain(`TruncatedPdfError: ${error.message}\n    at `);
    },
  );

  it("contains the line that calls generate() if the arguments are invalid", async () => {
    const service = await Service.start(missing);
    const client = service.client();
    const nested = { a: { b: { c: { d: { e: { f: { g: { h: Number.NaN } } } } } } } };
    const seen = await new Promise<Seen>((resolve) => {
      const marker = new Error().stack ?? "";
      const bytes = client.generate("inv_2024", nested).bytes();
      bytes.catch((error) => resolve({ error, marker }));
    });
    expect(seen.error.name).toBe("ValuesError");
    expectCallersLine(seen);
  });

  it("is the same object if it is frozen", async () => {
    const service = await Service.start(missing);
    let frozen: unknown;
    const error = (told: { readonly error: unknown }) => {
      frozen = Object.freeze(told.error);
    };
    expect(await rejectionOf(generate(service.client({ hooks: { error } })))).toBe(frozen);
  });

  it("is the same object if stacks cannot be captured or prepareStackTrace throws", async () => {
    const service = await Service.start(missing);
    const { captureStackTrace, prepareStackTrace } = Error;
    onTestFinished(() => void Object.assign(Error, { captureStackTrace, prepareStackTrace }));
    Object.assign(Error, { captureStackTrace: undefined });
    expect(await rejectionOf(generate(service.client()))).toMatchObject({ code: "not_found" });
    const failing = () => {
      throw new Error("no stacks today");
    };
    Object.assign(Error, { captureStackTrace, prepareStackTrace: failing });
    expect(await rejectionOf(generate(service.client()))).toMatchObject({ code: "not_found" });
  });
});

describe("the stack of an error that two callers receive", () => {
  async function awaitFirst(promise: PromiseLike<unknown>): Promise<unknown> {
    return rejectionOf(promise);
  }

  it("contains the line of the first caller", async () => {
    const service = await Service.start(missing);
    const pending = generate(service.client());
    const first = awaitFirst(pending.bytes());
    const second = (async function awaitSecond() {
      await pending;
    })();
    const error = (await first) as Error;
    const { stack } = error;
    expect(stack).toContain("rejectionOf");
    expect(await rejectionOf(second)).toBe(error);
    expect(error.stack).toBe(stack);
    expect(error.stack).not.toContain("awaitSecond");
  });

  it("contains the line of the second caller if the first does not await", async () => {
    const service = await Service.start(missing);
    const pending = generate(service.client());
    pending.bytes().catch(() => {});
    const second = (async function awaitSecond() {
      await pending;
    })();
    const { stack } = (await rejectionOf(second)) as Error;
    expect(stack).toContain("awaitSecond");
  });
});

it.each([
  ["an Error", () => new Error("the customer has left")],
  ["an error of this package", () => new TimeoutError("too late", { phase: "total", limitMs: 1 })],
])("%s keeps its stack if it is the reason of a signal or of cancel()", async (_, reasonOf) => {
  const service = await Service.start(beginning(pdfOf(1000).subarray(0, 500)));
  for (const end of ["abort", "cancel"] as const) {
    const controller = new AbortController();
    const pending = generate(service.client(), { signal: controller.signal });
    const rejection = rejectionOf(pending.bytes());
    await service.request();
    const reason = reasonOf();
    const { stack } = reason;
    if (end === "abort") controller.abort(reason);
    else await pending.cancel(reason);
    expect(await rejection).toBe(reason);
    expect(reason.stack).toBe(stack);
  }
});

it("the cause of an error keeps its own stack", async () => {
  const { early } = await startFailures();
  const error = await rejectionOf(generate(clientFor(early["a refused connection"] as Failure)));
  const { cause } = error as ConnectionError & { cause: Error };
  expect(ConnectionError.is(error)).toBe(true);
  expect(cause.stack).toContain(`${cause.name}: ${cause.message}`);
  expect(cause.stack).not.toContain("rejectionOf");
});

it("an error that is awaited only once leaves no unhandled rejection", async () => {
  const service = await Service.start(cutOffAfter(pdfOf(100_000), 50_000));
  const stray = await strayRejections(async () => {
    for (const [, read] of outputMethods) await rejectionOf(read(generate(service.client())));
    const pdf = await generate(service.client());
    await rejectionOf(pdf.blob());
    await rejectionOf(pdf.bytes());
  });
  expect(stray).toEqual([]);
});
