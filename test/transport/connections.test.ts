import { ConfigurationError } from "template-pdf";
import { Agent } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/eventually.ts";
import { clientOf, pdfFrom, Service, sourceOf, startService } from "../support/service.ts";
import { later, turn } from "../support/sockets.ts";

describe("the connections of a client", () => {
  it("are shared with its derived clients, and not with another client", async () => {
    const service = await startService();
    const client = service.client();
    const family = [client, client.with({ apiKey: "another" }), client.with({}).with({ verify: false })];
    for (const one of [...family, ...family]) {
      await sourceOf(one);
      await turn();
    }
    expect(service.allConnections).toBe(1);
    await sourceOf(service.client());
    expect(service.allConnections).toBe(2);
  });

  it("stay open when a derived client is closed, and are closed with the client", async () => {
    const service = await startService();
    const client = service.client();
    const derived = client.with({});
    await sourceOf(derived);
    await derived.close();
    await turn();
    await expect(sourceOf(derived)).rejects.toThrow(ConfigurationError);
    expect(await sourceOf(client)).toBe("network");
    await client.close();
    await eventually(() => service.connections === 0);
    await expect(sourceOf(client)).rejects.toThrow(ConfigurationError);
    expect(service.allConnections).toBe(1);
  });

  it.each(["that was sent", "whose agent is still being loaded"])(
    "carry a call %s to its end before they close",
    async (which) => {
      const answer = later<void>();
      const service = await Service.start(async ({ response }) => {
        await answer.promise;
        response.end(pdfFrom("late"));
      });
      const client = service.client();
      const source = sourceOf(client);
      if (which === "that was sent") await service.request();
      // The request leaves at the end of the turn in which it was asked for.
      else await Promise.resolve();
      let isClosed = false;
      const closing = client.close().then(() => {
        isClosed = true;
      });
      await service.request();
      expect(isClosed).toBe(false);
      answer.resolve();
      expect(await source).toBe("late");
      await closing;
    },
  );

  it("stay open if they are the caller's own dispatcher", async () => {
    const service = await startService();
    const dispatcher = new Agent();
    onTestFinished(() => dispatcher.close());
    const client = clientOf(service.baseUrl, { dispatcher });
    await sourceOf(client);
    await client.close();
    expect([dispatcher.closed, dispatcher.destroyed]).toEqual([false, false]);
    await turn();
    expect(await sourceOf(clientOf(service.baseUrl, { dispatcher }))).toBe("network");
    expect(service.allConnections).toBe(1);
  });
});
