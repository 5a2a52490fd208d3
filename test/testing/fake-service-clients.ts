import { setupServer } from "msw/node";
import { type ClientOptions, TemplatePdf } from "template-pdf";
import type { FakeService } from "template-pdf/testing";
import { onTestFinished } from "vitest";

type Reachable = Pick<FakeService<unknown>, "baseUrl" | "apiKey" | "fetch" | "handlers" | "listen">;

/** The three ways to connect a client to a fake service. Each returns client options that are valid until the test has finished. */
export const ways: Readonly<Record<string, (service: Reachable) => Promise<ClientOptions>>> = {
  "service.fetch": async ({ baseUrl, apiKey, fetch }) => ({ baseUrl, apiKey, fetch }),
  "service.handlers": async ({ baseUrl, apiKey, handlers }) => {
    const server = setupServer(...handlers);
    server.listen({ onUnhandledRequest: "error" });
    onTestFinished(() => server.close());
    return { baseUrl, apiKey };
  },
  "service.listen()": async (service) => {
    const { baseUrl, close } = await service.listen();
    onTestFinished(close);
    return { baseUrl, apiKey: service.apiKey };
  },
};

/** Creates a client without retries that is connected in one of these ways. */
export async function clientBy(
  way: string,
  service: Reachable,
  options: ClientOptions = {},
): Promise<TemplatePdf> {
  const leading = ways[way];
  if (!leading) throw new Error(`Unknown way to connect: ${way}`);
  const client = new TemplatePdf({
    ...(await leading(service)),
    retry: false,
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}
