import { TemplatePdf, TimeoutError } from "template-pdf";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { beginning, pdfOf, rejectionOf, Service, saying } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { generate } from "./output-methods.ts";
import { documentCallers, failureOf, indirectCallers, pendingCallers, streams } from "./stacks/callers.mjs";
import { expectCallersLine, type Seen } from "./stacks/expect-stack.ts";
import { type Failure, startFailures } from "./stacks/failures.ts";

// test/runtimes/stacks.test.ts tests every caller with every failure.

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

/** Each caller with one of the failures. */
const cellsOf = (callers: readonly (readonly [string, Caller])[], kind: "early" | "late") =>
  callers.map(([name, caller], index) => [name, kind, caller, index] as const);

const readers = Object.entries({ ...pendingCallers, ...documentCallers });

it.each([
  ...cellsOf(Object.entries(pendingCallers), "early"),
  ...Object.entries(indirectCallers).map(([name, caller]) => [name, "early", caller, 0] as const),
  ...cellsOf(
    readers.filter(([name]) => !streams.includes(name)),
    "late",
  ),
])("an error's stack has the line that awaits the call: %s (%s failure)", async (_, kind, caller, index) => {
  const failures = Object.values((await startFailures())[kind]);
  const failure = failures[index % failures.length] as Failure;
  const seen = await failureOf(caller, clientFor(failure), [failure.uid, failure.values]);
  expect(seen.error).toMatchObject({ name: failure.name });
  expectCallersLine(seen);
});

describe("an error from a call", () => {
  it("keeps its original stack if the call is not awaited", async () => {
    const service = await Service.start(missing);
    const error = await new Promise<Error>((resolve) => {
      generate(service.client()).bytes().catch(resolve);
    });
    expect(error.stack).toContain(`NotFoundError: ${error.message}\n    at `);
  });

  it("points to the generate() call if the arguments are invalid", async () => {
    const client = (await Service.start(missing)).client();
    const nested = { a: { b: { c: { d: { e: { f: { g: { h: Number.NaN } } } } } } } };
    const seen = await new Promise<Seen>((resolve) => {
      const marker = new Error().stack ?? "";
      const bytes = client.generate("inv_2024", nested).bytes();
      bytes.catch((error) => resolve({ error, marker }));
    });
    expect(seen.error.name).toBe("ValuesError");
    expectCallersLine(seen);
  });

  it("is not replaced if it is frozen", async () => {
    const service = await Service.start(missing);
    let frozen: unknown;
    const error = (event: { readonly error: unknown }) => {
      frozen = Object.freeze(event.error);
    };
    expect(await rejectionOf(generate(service.client({ hooks: { error } })))).toBe(frozen);
  });

  it("keeps its code even if its stack cannot be captured", async () => {
    const service = await Service.start(missing);
    const { captureStackTrace, prepareStackTrace } = Error;
    onTestFinished(() => void Object.assign(Error, { captureStackTrace, prepareStackTrace }));
    const failing = () => {
      throw new Error("no stacks today");
    };
    for (const broken of [
      { captureStackTrace: undefined },
      { captureStackTrace, prepareStackTrace: failing },
    ]) {
      Object.assign(Error, broken);
      expect(await rejectionOf(generate(service.client()))).toMatchObject({ code: "not_found" });
    }
  });
});

it.each([
  ["first caller if both await the call", "rejectionOf", (pending: Promise<unknown>) => rejectionOf(pending)],
  [
    "second caller if only the second caller awaits the call",
    "awaitSecond",
    (pending: Promise<unknown>) => void pending.catch(() => {}),
  ],
])(
  "the stack of an error that is shared by two callers contains the line of the %s",
  async (_, line, awaitFirst) => {
    const service = await Service.start(missing);
    const pending = generate(service.client());
    const first = awaitFirst(pending.bytes());
    const second = (async function awaitSecond() {
      await pending;
    })();
    const { stack } = ((await first) ?? (await rejectionOf(second))) as Error;
    expect(stack).toContain(line);
    expect(await rejectionOf(second)).toMatchObject({ stack });
  },
);

it("a cancellation reason keeps its stack even if it is one of this package's errors", async () => {
  const service = await Service.start(beginning(pdfOf(1000).subarray(0, 500)));
  for (const end of ["abort", "cancel"] as const) {
    const controller = new AbortController();
    const pending = generate(service.client(), { signal: controller.signal });
    const rejection = rejectionOf(pending.bytes());
    await service.request();
    const reason = new TimeoutError("too late", { phase: "total", limitMs: 1 });
    const { stack } = reason;
    if (end === "abort") controller.abort(reason);
    else await pending.cancel(reason);
    expect(await rejection).toBe(reason);
    expect(reason.stack).toBe(stack);
  }
});
