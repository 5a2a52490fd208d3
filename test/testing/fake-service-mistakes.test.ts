import { ConfigurationError, template } from "template-pdf";
import {
  type FailOptions,
  type FakeService,
  type FakeServiceOptions,
  type Fault,
  fakeService,
  faults,
} from "template-pdf/testing";
import { afterEach, describe, expect, it, vi } from "vitest";

afterEach(() => vi.useRealTimers());

/** Every mistake is reported immediately, in the same style as the errors of the client. */
function expectMistake(act: () => unknown, message: string | RegExp): void {
  expect(act).toThrow(ConfigurationError);
  expect(act).toThrow(message);
}

function ask(service: Pick<FakeService<unknown>, "fetch">, uid: string): Promise<Response> {
  const headers = { authorization: "API-Key k", "content-type": "application/json" };
  const url = `https://one.test/api/v1/templates/${uid}/generate-sync`;
  return service.fetch(url, { method: "POST", headers, body: "{}" });
}

describe("a fake service", () => {
  it.each<[unknown, string | RegExp]>([
    [null, "Expected the fakeService() options to be an object, got null"],
    [{ template: ["a"] }, "Known options: baseUrl, templates, apiKeys."],
    [{ baseUrl: "pdf.example.com" }, "The base URL does not begin with https://"],
    [{ baseUrl: "https://u:p@pdf.example.com" }, /credentials/],
    [{ templates: "inv_2024" }, "Expected `templates` to be an array of uids and templates"],
    [{ templates: [7] }, "`templates[0]` to be a uid or a `template()`, got number"],
    [{ templates: ["a", null] }, "Expected `templates[1]` to be a uid"],
    [{ templates: ["a", "a"] }, 'The template "a" is in `templates` twice'],
    [{ apiKeys: [] }, "Expected `apiKeys` to be an array of one or more keys"],
    [{ apiKeys: "s3cret" }, "Expected `apiKeys` to be an array of one or more keys"],
    [{ apiKeys: ["with space"] }, "Expected `apiKeys` to be an array of one or more keys"],
  ])("rejects the options %j", (options, message) => {
    expectMistake(() => fakeService(options as FakeServiceOptions), message);
  });

  it.each<[string, unknown, unknown, string]>([
    [
      "a function that creates faults",
      faults.serverError,
      {},
      "Expected a fault, for example service.fail(faults.serverError())",
    ],
    ["nothing", undefined, {}, "Expected a fault"],
    ["a misspelt option", faults.reset(), { time: 1 }, "Known options: "],
    ["zero times", faults.reset(), { times: 0 }, "`times` to be a whole number, 1 or more, got `0` (number)"],
    ["an unknown uid", faults.reset(), { uid: "b" }, 'This fake service has no template "b". It has: a.'],
  ])("does not accept %s in fail()", (_name, fault, options, message) => {
    const service = fakeService({ templates: ["a"] });
    expectMistake(() => service.fail(fault as Fault, options as FailOptions<"a">), message);
  });

  it("rejects if it cannot listen", async () => {
    const service = fakeService();
    await expect(service.listen({ port: 70_000 })).rejects.toThrow(
      "Expected `port` to be a whole number from 0 to 65535",
    );
    const { baseUrl, close } = await service.listen();
    await expect(service.listen({ port: Number(new URL(baseUrl).port) })).rejects.toThrow(/is in use/);
    await close();
  });

  it("reports why a schema failed to validate", async () => {
    const broken = template("inv_2024", {
      "~standard": {
        version: 1,
        vendor: "ours",
        validate: () => expect.fail("this schema is broken"),
      },
    });
    const response = await ask(fakeService({ templates: [broken] }), "inv_2024");
    expect(response.status).toBe(500);
    expect((await response.json()).detail).toContain("schema");
  });
});

describe("a fault", () => {
  it.each<[keyof typeof faults, object, string]>([
    ["cutOff", { afterBytes: -1 }, "Expected `afterBytes` to be a whole number, 0 or more, got `-1`"],
    ["stall", { afterByte: 1 }, "Unknown stall() option `afterByte`. Known options: afterBytes."],
    ["reset", { afterBytes: 1.5 }, "Expected `afterBytes` to be a whole number"],
    [
      "serverError",
      { status: 404 },
      "Expected `status` to be a whole number from 500 to 599 (to get a 404 or 422, pass `templates` to fakeService), got `404`",
    ],
    ["rateLimited", { retryAfter: -1 }, "Expected `retryAfter` to be a whole number of seconds"],
    ["rateLimited", { retryAfter: "a\r\nb" }, "Expected `retryAfter` to be a whole number of seconds"],
    ["slow", { pieces: 0 }, "Expected `pieces` to be a whole number, 1 or more"],
    ["slow", { everyMs: Number.NaN }, "Expected `everyMs` to be a number of milliseconds"],
  ])("faults.%s(%j) reports the mistake in its options", (name, options, message) => {
    expectMistake(() => (faults[name] as (given: object) => unknown)(options), message);
  });
});

describe("waiting for a call", () => {
  it("resolves with a call that has arrived or that arrives later", async () => {
    const service = fakeService();
    const third = service.waitForCall(3);
    for (const uid of ["a", "b", "c"]) await ask(service, uid);
    const calls = [await service.waitForCall(), await service.waitForCall(2), await third];
    expect(calls.map(({ uid }) => uid)).toEqual(["a", "b", "c"]);
  });

  it("times out before the test does, even with fake timers", async () => {
    vi.useFakeTimers();
    const service = fakeService();
    const waiting = service.waitForCall(2, { timeoutMs: 30 });
    await ask(service, "a");
    await vi.advanceTimersByTimeAsync(10_000);
    await expect(waiting).rejects.toThrow(
      "Call number 2 did not arrive within 30 ms: the fake service has received 1 call(s) with a valid key and readable values.",
    );
  });

  it("rejects after reset(), without an unhandled rejection", async () => {
    const service = fakeService();
    const waiting = service.waitForCall();
    service.reset();
    // An unhandled rejection would have been reported by now.
    await new Promise((resolve) => setImmediate(resolve));
    await expect(waiting).rejects.toThrow("Call number 1 did not arrive before the fake service was reset.");
  });

  it.each([[0], [1.5], ["1"]])("rejects the call number %j", (n) => {
    expectMistake(
      () => fakeService().waitForCall(n as number),
      "Expected `n` to be a whole number, 1 or more",
    );
  });

  it("accepts a timeout in milliseconds", () => {
    expectMistake(
      () => fakeService().waitForCall(1, { timeoutMs: 0 }),
      "Expected `timeoutMs` to be a number of milliseconds",
    );
  });
});
