import { ConfigurationError, TemplatePdf } from "template-pdf";
import { Agent } from "undici";
import { describe, expect, it } from "vitest";
import { pdfOf, rejectionOf, Service, transports, turns, withLength } from "../support/service.ts";
import { generate } from "./every-form.ts";

const pdf = pdfOf(2_000);

describe.each(transports)("close(), by %s,", (_, options) => {
  it("refuses calls from then on, of siblings, too", async () => {
    const service = await Service.start(withLength(pdf));
    const client = service.client(options);
    const sibling = client.with({ apiKey: "sibling" });
    await generate(client).bytes();
    await client.close();
    for (const closed of [client, sibling, client.with({ apiKey: "late" })]) {
      expect(await rejectionOf(generate(closed).bytes())).toBeInstanceOf(ConfigurationError);
    }
    expect(service.requests).toHaveLength(1);
  });

  it("of a sibling leaves the parent and its other siblings open", async () => {
    const service = await Service.start(withLength(pdf));
    const client = service.client(options);
    const sibling = client.with({ apiKey: "sibling" });
    await generate(sibling).bytes();
    await sibling.close();
    expect(await rejectionOf(generate(sibling))).toBeInstanceOf(ConfigurationError);
    expect(await generate(client).bytes()).toHaveLength(2_000);
    expect(await generate(client.with({ apiKey: "other" })).bytes()).toHaveLength(2_000);
  });

  it("may be called again, and by await using", async () => {
    const service = await Service.start(withLength(pdf));
    const client = service.client(options);
    await generate(client).bytes();
    await Promise.all([client.close(), client.close()]);
    await client.close();
    await client[Symbol.asyncDispose]();
    {
      await using another = service.client(options);
      await generate(another).bytes();
    }
    await new TemplatePdf({ baseUrl: service.baseUrl, apiKey: "k" }).close();
  });

  it("lets calls in flight end", async () => {
    const service = await Service.start(() => {});
    const client = service.client(options);
    const bytes = generate(client).bytes();
    const received = await service.request();
    const closing = client.close();
    withLength(pdf)(received);
    expect(await bytes).toHaveLength(2_000);
    await closing;
  });
});

describe("close()", () => {
  it("closes the connections that the client made", async () => {
    const service = await Service.start(withLength(pdf));
    const client = service.client();
    await Promise.all(Array.from({ length: 5 }, () => generate(client).bytes()));
    await turns();
    expect(service.connections).toBeGreaterThan(0);
    await client.close();
    await Promise.all(service.requests.map(({ closed }) => closed));
    expect(service.connections).toBe(0);
  });

  it("waits for a call that was made in the same breath, though it is the first", async () => {
    const service = await Service.start(async (received) => {
      await turns(50);
      withLength(pdf)(received);
    });
    const client = service.client();
    let isDone = false;
    const bytes = generate(client)
      .bytes()
      .finally(() => {
        isDone = true;
      });
    await client.close();
    expect(isDone).toBe(true);
    expect(await bytes).toHaveLength(2_000);
  });

  it("closes no dispatcher of the caller's", async () => {
    const service = await Service.start(withLength(pdf));
    const dispatcher = new Agent();
    const client = service.client({ dispatcher });
    await generate(client).bytes();
    await client.close();
    expect(await generate(service.client({ dispatcher })).bytes()).toHaveLength(2_000);
    await dispatcher.close();
  });
});
