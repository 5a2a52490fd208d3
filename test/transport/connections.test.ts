import { ConfigurationError } from "template-pdf";
import { Agent } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/eventually.ts";
import { later, serve, turn } from "./server.ts";
import { clientOf, pdfFrom, sourceOf, startService } from "./service.ts";

describe("the connections of a client", () => {
  it("are shared with its siblings", async () => {
    const service = await startService();
    const client = clientOf(service.origin);
    const siblings = [client, client.with({ apiKey: "another" }), client.with({}).with({ verify: false })];
    for (const one of [...siblings, ...siblings]) {
      await sourceOf(one);
      await turn();
    }
    expect(service.allSockets).toBe(1);
  });

  it("are its own: two clients share none", async () => {
    const service = await startService();
    await sourceOf(clientOf(service.origin));
    await turn();
    await sourceOf(clientOf(service.origin));
    expect(service.allSockets).toBe(2);
  });

  it("stay open when a sibling is closed, which then refuses its calls", async () => {
    const service = await startService();
    const client = clientOf(service.origin);
    const sibling = client.with({});
    await sourceOf(sibling);
    await sibling.close();
    await turn();
    await expect(sourceOf(sibling)).rejects.toThrow(ConfigurationError);
    expect(await sourceOf(client)).toBe("network");
    expect(service.allSockets).toBe(1);
  });

  it("are closed with the client, which then refuses calls, and its siblings' too", async () => {
    const service = await startService();
    const client = clientOf(service.origin);
    const sibling = client.with({});
    await sourceOf(client);
    await client.close();
    await eventually(() => service.openSockets === 0);
    await expect(sourceOf(client)).rejects.toThrow(ConfigurationError);
    await expect(sourceOf(sibling)).rejects.toThrow(ConfigurationError);
    expect(service.allSockets).toBe(1);
  });

  it.each(["that was sent", "whose agent is still being loaded"])(
    "carry a call %s to its end before they close",
    async (which) => {
      const reached = later<void>();
      const answer = later<void>();
      const service = await serve(async (_request, response) => {
        reached.resolve();
        await answer.promise;
        response.end(pdfFrom("late"));
      });
      const client = clientOf(service.origin);
      const source = sourceOf(client);
      if (which === "that was sent") await reached.promise;
      // The request leaves at the end of the turn in which it was asked for.
      else await Promise.resolve();
      let isClosed = false;
      const closing = client.close().then(() => {
        isClosed = true;
      });
      await reached.promise;
      expect(isClosed).toBe(false);
      answer.resolve();
      expect(await source).toBe("late");
      await closing;
    },
  );

  it("may be closed twice", async () => {
    const service = await startService();
    const client = clientOf(service.origin);
    await sourceOf(client);
    await Promise.all([client.close(), client.close()]);
    await client.close();
  });

  it("may be closed where none was ever opened", async () => {
    const client = clientOf("http://127.0.0.1:1");
    await Promise.all([client.close(), client.close()]);
    await expect(sourceOf(client)).rejects.toThrow(ConfigurationError);
  });

  it("are left alone where they are the caller's own", async () => {
    const service = await startService();
    const dispatcher = new Agent();
    onTestFinished(() => dispatcher.close());
    const client = clientOf(service.origin, { dispatcher });
    await sourceOf(client);
    await client.close();
    expect([dispatcher.closed, dispatcher.destroyed]).toEqual([false, false]);
    await turn();
    expect(await sourceOf(clientOf(service.origin, { dispatcher }))).toBe("network");
    expect(service.allSockets).toBe(1);
  });

  it("are gone when a document is given up", async () => {
    const reached = later<void>();
    const service = await serve((_request, response) => {
      response.write("%PDF-1.4\n");
      reached.resolve();
    });
    const controller = new AbortController();
    const client = clientOf(service.origin);
    const bytes = client.generate("inv_2024", {}, { signal: controller.signal }).bytes();
    bytes.catch(() => {});
    await reached.promise;
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(bytes).rejects.toBe(reason);
    await eventually(() => service.openSockets === 0);
  });
});
