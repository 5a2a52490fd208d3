import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { failureAt, forms, generate, stages } from "../client/every-form.ts";
import { pdfOf, Service, saying, transports, withLength } from "../support/service.ts";

/** As an application knows which of its users a piece of work is for. */
const tenant = new AsyncLocalStorage<string>();

const pdf = pdfOf(2_000);

/** Fails the first two attempts of every call, so that calls wait together, on the clock that they share. */
function failingTwice(): Promise<Service> {
  const tries = new Map<string, number>();
  return Service.start((received) => {
    const count = (tries.get(received.body) ?? 0) + 1;
    tries.set(received.body, count);
    return (count < 3 ? saying(503) : withLength(pdf))(received);
  });
}

describe.each(transports)("the caller's asynchronous context, by %s,", (_, options) => {
  it("is where a key source is asked for every attempt: no tenant's call goes out with another's key", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.01);
    onTestFinished(() => void vi.restoreAllMocks());
    const service = await failingTwice();
    const client = service.client({
      ...options,
      retry: { limit: 2 },
      apiKey: async () => `key-of-${tenant.getStore()}`,
    });
    const names = Array.from({ length: 40 }, (_, index) => `tenant-${index}`);
    await Promise.all(
      names.map((name) => tenant.run(name, () => client.generate("uid", { tenant: name }).bytes())),
    );
    expect(service.requests).toHaveLength(120);
    for (const { body, headers } of service.requests) {
      const { tenant: name } = JSON.parse(body) as { tenant: string };
      expect(headers.authorization).toBe(`API-Key key-of-${name}`);
    }
  });

  it("is where every hook is called", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.01);
    onTestFinished(() => void vi.restoreAllMocks());
    const service = await failingTwice();
    const heard: (readonly [event: string, uid: string, tenant: string | undefined])[] = [];
    const hear =
      (name: string) =>
      ({ uid }: { uid: string }) =>
        void heard.push([name, uid, tenant.getStore()]);
    const hooks = {
      request: hear("request"),
      response: hear("response"),
      retry: hear("retry"),
      error: hear("error"),
    };
    const client = service.client({ ...options, retry: { limit: 2 }, hooks });
    const names = Array.from({ length: 20 }, (_, index) => `tenant-${index}`);
    await Promise.allSettled(
      names.map((name, index) =>
        tenant.run(name, () =>
          client.generate(name, { tenant: name }, index % 2 ? { retry: { limit: 1 } } : {}).bytes(),
        ),
      ),
    );
    expect(heard).toHaveLength(10 * (3 + 3 + 2) + 10 * (2 + 2 + 1 + 1));
    expect(heard.filter(([, uid, store]) => uid !== store)).toEqual([]);
  });

  it.each(stages)("goes on after a form of %s has failed", async (stage) => {
    const service = await Service.start(saying(400));
    for (const [form, read] of forms) {
      await tenant.run(form, async () => {
        await failureAt(stage, generate(service.client(options)), read);
        expect(tenant.getStore()).toBe(form);
      });
    }
  });
});
