import { AsyncLocalStorage } from "node:async_hooks";
import { beforeEach, describe, expect, it } from "vitest";
import { withoutBackOff } from "../client/timing.ts";
import { pdfOf, Service, saying, transports, withLength } from "../support/service.ts";

/** The tenant that the application currently serves. */
const tenant = new AsyncLocalStorage<string>();
const tenants = Array.from({ length: 20 }, (_, index) => `tenant-${index}`);
const pdf = pdfOf(2_000);

/** Fails the first two attempts of each call, so that all calls wait to retry at the same time. */
function failingTwice(): Promise<Service> {
  const tries = new Map<string, number>();
  return Service.start((received) => {
    const count = (tries.get(received.body) ?? 0) + 1;
    tries.set(received.body, count);
    return (count < 3 ? saying(503) : withLength(pdf))(received);
  });
}

describe.each(transports)("The caller's asynchronous context with %s", (_, options) => {
  beforeEach(withoutBackOff);

  it("is active in the API key function", async () => {
    const service = await failingTwice();
    const apiKey = async () => `key-of-${tenant.getStore()}`;
    const client = service.client({ ...options, retry: { limit: 2 }, apiKey });
    const calls = tenants.map((name) =>
      tenant.run(name, () => client.generate("uid", { tenant: name }).bytes()),
    );
    await Promise.all(calls);
    expect(service.requests).toHaveLength(60);
    for (const { body, headers } of service.requests) {
      expect(headers.authorization).toBe(`API-Key key-of-${JSON.parse(body).tenant}`);
    }
  });

  it("is active in each hook", async () => {
    const service = await failingTwice();
    const events: (readonly [uid: string, tenant: string | undefined])[] = [];
    const record = ({ uid }: { uid: string }) => void events.push([uid, tenant.getStore()]);
    const hooks = { request: record, response: record, retry: record, error: record };
    const client = service.client({ ...options, retry: { limit: 2 }, hooks });
    const calls = tenants.map((name, index) => {
      const retry = { limit: index % 2 ? 1 : 2 };
      return tenant.run(name, () => client.generate(name, { tenant: name }, { retry }).bytes());
    });
    await Promise.allSettled(calls);
    expect(events).toHaveLength(10 * (3 + 3 + 2) + 10 * (2 + 2 + 1 + 1));
    expect(events.filter(([uid, store]) => uid !== store)).toEqual([]);
  });
});
