import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import {
  ConfigurationError,
  ConnectionError,
  TemplatePdf,
  TemplatePdfError,
  template,
  ValuesError,
} from "template-pdf";
import { generateMany, runBulk } from "template-pdf/bulk";
import { createHandler } from "template-pdf/handler";
import { fakeService } from "template-pdf/testing";
import { afterAll, describe, expect, vi } from "vitest";
import { FailureGroups } from "../../src/bulk/failure-groups.ts";
import { describeUnwritable } from "../../src/bulk/unwritable.ts";
import { exitCodeOf } from "../../src/cli/exit-codes.ts";
import { inspected } from "../../src/cli/output.ts";
import { lineOf } from "../../src/cli/report.ts";
import { addCaller } from "../../src/errors/caller-stack.ts";
import { describeKind, nameOfError } from "../../src/errors/value-kinds.ts";
import { Adder } from "../../src/queue/add.ts";
import { JobCodec } from "../../src/queue/queued-job.ts";
import { withoutCommand } from "../../src/queue/redis-error.ts";
import { isLockLost, stoppedBy } from "../../src/queue/worker-errors.ts";
import { createEndpoint } from "../../src/service/endpoint.ts";
import { adviceOn } from "../../src/testing/pdf/read-by-pdf-js.ts";
import { open, request } from "../service/endpoint-call.ts";
import { slowProperty } from "../support/fuzz.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { hostileErrors } from "./hostile-errors.ts";

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);
process.on("unhandledRejection", note);
afterAll(() => process.off("unhandledRejection", note));

/** What code outside this package does: it throws, or returns a promise that rejects. */
type Fail = () => never;

const pdf = new TextEncoder().encode("%PDF-1.4\n%%EOF");
const answer = async () => new Response(pdf) as never;
const settings = {
  baseUrl: "https://pdf.example.com",
  apiKey: "key-of-the-tests",
  retry: false,
  fetch: answer,
} as const;
const clientOf = (options = {}) => new TemplatePdf({ ...settings, ...options });

const outcomeOf = (work: () => unknown): Promise<unknown> =>
  (async () => {
    try {
      return { value: await work() };
    } catch (error) {
      return { error };
    }
  })();

/** Checks that work ends with an error of this class, or with any if it is `undefined`. */
async function expectError(
  work: () => unknown,
  type: abstract new (...given: never[]) => unknown,
): Promise<void> {
  const { error } = (await outcomeOf(work)) as { error?: unknown };
  expect(error instanceof type, "an error of this package").toBe(true);
  // It can be printed and logged.
  expect(typeof String(error)).toBe("string");
  JSON.stringify(error);
}

/** Checks that work ends with the very value that was thrown. */
async function expectThrown(work: () => unknown, thrown: unknown): Promise<void> {
  const outcome = (await outcomeOf(work)) as { error?: unknown };
  expect("error" in outcome && Object.is(outcome.error, thrown), "the thrown value").toBe(true);
}

/** Defines a test of one place that calls code of others. */
function ends(title: string, check: (fail: Fail, thrown: unknown) => Promise<unknown>): void {
  slowProperty(title, () =>
    fc.asyncProperty(hostileErrors, fc.boolean(), async ({ create }, isAsync) => {
      const thrown = create();
      const fail = () => {
        if (isAsync) return Promise.reject(thrown);
        throw thrown;
      };
      await check(fail as Fail, thrown);
      // Node reports unhandled rejections after the microtasks.
      await nextTurn();
      expect(unhandled.splice(0).length, "unhandled rejections").toBe(0);
      return true;
    }),
  );
}

const generate = (client: TemplatePdf, values: object = {}, options = {}) =>
  client.generate("t", values, options).bytes();
const generateBy = (validate: () => unknown) =>
  clientOf()
    .generate(template("t", schemaOf(validate)), {} as never)
    .bytes();
const schemaOf = (validate: () => unknown) =>
  ({ "~standard": { version: 1, vendor: "tests", validate } }) as never;

describe("a hostile error in a call", () => {
  ends("of an API key function is a ConfigurationError", (fail) =>
    expectError(() => generate(clientOf({ apiKey: fail })), ConfigurationError),
  );

  ends("of a schema is a ConfigurationError", (fail) =>
    expectError(() => generateBy(fail), ConfigurationError),
  );

  ends("behind the result of a schema is a ConfigurationError", (fail) => {
    const result = Object.defineProperty({}, "issues", { get: fail });
    return expectError(() => generateBy(() => result), ConfigurationError);
  });

  ends("of a custom fetch is a ConnectionError", (fail) =>
    expectError(() => generate(clientOf({ fetch: fail })), ConnectionError),
  );

  ends("of the body of a custom fetch is an error of this package", (fail) => {
    const body = { getReader: () => ({ read: fail, cancel: fail }), cancel: fail };
    const fetch = async () => ({ status: 200, type: "default", headers: new Headers(), body });
    return expectError(() => generate(clientOf({ fetch })), TemplatePdfError);
  });

  ends("of every method of a response is an error of this package", (fail) => {
    const headers = { get: fail, forEach: fail };
    const fetch = async () => ({ status: 500, type: "default", headers, body: null });
    return expectError(() => generate(clientOf({ fetch })), TemplatePdfError);
  });

  ends("of a dispatcher is a ConnectionError", (_fail, thrown) => {
    const dispatch = () => {
      throw thrown;
    };
    const client = clientOf({ fetch: undefined, dispatcher: { dispatch } });
    return expectError(() => generate(client), ConnectionError);
  });

  ends("of a dispatcher's response is a ConnectionError", (_fail, thrown) => {
    const controller = { abort() {}, pause() {}, resume() {} };
    const dispatch = (
      _options: unknown,
      handler: Record<"onRequestStart" | "onResponseError", (...given: unknown[]) => void>,
    ) => {
      handler.onRequestStart(controller, {});
      handler.onResponseError(controller, thrown);
      return true;
    };
    return expectError(
      () => generate(clientOf({ fetch: undefined, dispatcher: { dispatch } })),
      ConnectionError,
    );
  });

  ends("of hooks and `onProgress` does not affect the call", async (fail) => {
    const hooks = { request: fail, response: fail, retry: fail, error: fail };
    expect(await generate(clientOf({ hooks }), {}, { onProgress: fail })).toHaveLength(pdf.length);
  });

  ends("of a value's `toJSON` is a ValuesError", (_fail, thrown) => {
    const toJSON = () => {
      throw thrown;
    };
    return expectError(() => generate(clientOf(), { total: { toJSON } }), ValuesError);
  });

  ends("as the reason of a signal is passed on", (_fail, thrown) => {
    // `undefined` becomes an AbortError.
    const reason = thrown ?? "left";
    return expectThrown(() => generate(clientOf(), {}, { signal: AbortSignal.abort(reason) }), reason);
  });
});

describe("a hostile error in a handler", () => {
  const handlerOf = (options: object) => {
    const onError = vi.fn();
    const handler = createHandler({
      client: clientOf(),
      templates: { invoice: template("invoice") },
      authorize: () => true,
      onError,
      ...options,
    });
    return { onError, call: async () => (await handler(request({}))).status };
  };

  for (const name of ["authorize", "values", "filename"] as const) {
    ends(`of \`${name}\` is a 500 response and is logged`, async (fail, thrown) => {
      const { onError, call } = handlerOf({ [name]: fail });
      expect(await call()).toBe(500);
      expect(onError).toHaveBeenCalledOnce();
      expect(Object.is(onError.mock.calls[0]?.[0], thrown)).toBe(true);
      expect(onError.mock.calls[0]?.[1]).toMatchObject({ failed: name });
    });
  }

  ends("of a schema is a 500 response and is logged", async (fail) => {
    const { onError, call } = handlerOf({ templates: { invoice: template("invoice", schemaOf(fail)) } });
    expect(await call()).toBe(500);
    expect(onError).toHaveBeenCalledOnce();
  });

  ends("of a client is a 500 response and is logged", async (fail, thrown) => {
    const { onError, call } = handlerOf({ client: { generate: fail } });
    expect(await call()).toBe(500);
    expect(Object.is(onError.mock.calls[0]?.[0], thrown)).toBe(true);
  });

  ends("of `onError` does not affect the response", async (fail) => {
    expect(await handlerOf({ authorize: fail, onError: fail }).call()).toBe(500);
  });

  ends("is printed without `onError`", async (fail) => {
    const print = vi.spyOn(console, "error").mockImplementation(() => {});
    try {
      expect(await handlerOf({ authorize: fail, onError: undefined }).call()).toBe(500);
      expect(print).toHaveBeenCalled();
    } finally {
      print.mockRestore();
    }
  });

  ends("of `produce` is a 500 response", async (fail) => {
    const onError = vi.fn();
    const response = await createEndpoint({ ...open, produce: fail, onError })(request({}), undefined);
    expect(response.status).toBe(500);
    expect(onError).toHaveBeenCalledOnce();
  });
});

describe("a hostile error in a bulk run", () => {
  const jobs = [{ template: "t", values: {} }];
  const resultsOf = async (options: object, given: Iterable<unknown> | AsyncIterable<unknown> = jobs) => {
    const results: { status: string; error?: unknown }[] = [];
    for await (const result of generateMany(clientOf(), given as never, options)) results.push(result);
    return results;
  };

  ends("of `use` is the error of its job", async (fail, thrown) => {
    const [result] = await resultsOf({ use: fail });
    const isThrown = Object.is(result?.error, thrown);
    expect({ status: result?.status, isThrown }).toEqual({ status: "rejected", isThrown: true });
  });

  ends("of the jobs ends the run", (fail, thrown) => {
    const source = { [Symbol.asyncIterator]: () => ({ next: fail, return: fail }) };
    return expectThrown(() => resultsOf({}, source), thrown);
  });

  ends("of closing the jobs does not affect the run", async (fail) => {
    const next = async () => ({ done: false, value: null });
    const source = { [Symbol.asyncIterator]: () => ({ next, return: fail }) };
    await expectError(() => resultsOf({ stopAfter: 2 }, source), Error);
  });

  for (const name of ["open", "sync", "begin", "claim", "keyOf", "put"] as const) {
    ends(`of a sink's \`${name}\` does not hang the run`, async (fail) => {
      const { path, remove } = makeTemporaryFolder("hostile-errors");
      const sink = {
        put: async (_key: string, given: { bytes(): unknown }) => given.bytes(),
        [name]: fail,
      } as never;
      const journal = join(path, "a.journal");
      const key = name === "keyOf" ? undefined : () => "a";
      await outcomeOf(() => runBulk({ client: clientOf(), jobs, sink, journal, ...(key && { key }) }));
      // The lock is released, so that the next run can start.
      const healthy = { put: async (_key: string, given: { bytes(): unknown }) => given.bytes() };
      const next = runBulk({ client: clientOf(), jobs, sink: healthy as never, journal, key: () => "a" });
      expect(await next).toMatchObject({ rejected: 0 });
      remove();
    });
  }

  for (const name of ["onResult", "onBegin"] as const) {
    ends(`of \`${name}\` ends the run with that error`, async (fail, thrown) => {
      const { path, remove } = makeTemporaryFolder("hostile-errors");
      const sink = { put: async (_key: string, given: { bytes(): unknown }) => given.bytes() } as never;
      const options = { client: clientOf(), jobs, sink, journal: join(path, "a.journal"), key: () => "a" };
      await expectThrown(() => runBulk({ ...options, [name]: fail }), thrown);
      remove();
    });
  }

  ends("is counted and described", async (_fail, thrown) => {
    const groups = new FailureGroups();
    groups.add(thrown, 0);
    expect(groups.all).toMatchObject([{ code: expect.any(String), message: expect.any(String), count: 1 }]);
    expect(describeUnwritable(thrown)).toBeUndefined();
  });
});

describe("a hostile error in a queue", () => {
  const runs = {
    begin: async () => "run",
    register: async () => [],
    endAdd: async () => true,
    has: async () => true,
  };
  const queue = { addBulk: async () => [] };
  const adderOf = (options: object) =>
    new Adder({ runs, queue } as never, new JobCodec({ prefix: "bull", name: "tests" }), options);

  ends("of the jobs ends `add` with that error", (fail, thrown) => {
    const source = { [Symbol.asyncIterator]: () => ({ next: fail }) };
    return expectThrown(() => adderOf({}).add("a", source as never), thrown);
  });

  ends("of `key` makes a job invalid", async (fail) => {
    const { invalid } = await adderOf({ key: fail }).add("a", [{ template: "t", values: {} }]);
    expect(invalid).toBe(1);
  });

  ends("of a worker is described", async (_fail, thrown) => {
    expect(isLockLost(thrown)).toBe(false);
    expect((stoppedBy(thrown) as Error).message).toMatch(/^The worker stopped: /);
    expect(Object.is(withoutCommand(thrown), thrown)).toBe(true);
  });
});

describe("a hostile error in tests", () => {
  ends("of a schema of the fake service is a 500 response", async (fail) => {
    const service = fakeService({ templates: [template("invoice", schemaOf(fail))] });
    const client = clientOf({ baseUrl: service.baseUrl, fetch: service.fetch });
    await expectError(() => client.generate("invoice", {}).bytes(), TemplatePdfError);
  });

  ends("of pdf.js is described", async (_fail, thrown) => {
    expect(adviceOn(thrown)).toContain("pdfText() needs pdfjs-dist");
  });
});

describe("a hostile error", () => {
  ends("is described", async (_fail, thrown) => {
    const texts = [nameOfError(thrown), describeKind(thrown), lineOf(thrown), inspected(thrown)];
    expect(texts.map((text) => typeof text)).toEqual(["string", "string", "string", "string"]);
    expect(await exitCodeOf(thrown)).toBe(1);
    expect(Object.is(addCaller(thrown), thrown)).toBe(true);
  });
});
