import { ConfigurationError } from "template-pdf";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { sourceOf, startService } from "../support/service.ts";
import { turn } from "../support/sockets.ts";

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
});
