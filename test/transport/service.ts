import { type ClientOptions, TemplatePdf } from "template-pdf";
import { onTestFinished } from "vitest";
import type { SocketServer } from "../support/sockets.ts";
import { serve } from "./server.ts";

/** A document that says where it comes from. */
export function pdfFrom(source: string): string {
  return `%PDF-1.4\n${source}\n%%EOF`;
}

/** The service on a real socket: every document says `network`. */
export function startService(): Promise<SocketServer> {
  return serve((request, response) => {
    request.resume();
    request.on("end", () => response.end(pdfFrom("network")));
  });
}

/** A client that tries once, closed when the test has finished. */
export function clientOf(baseUrl: string, options: ClientOptions = {}): TemplatePdf {
  const client = new TemplatePdf({ baseUrl, apiKey: "key-of-the-tests", retry: false, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** Generates a document, and tells where it came from. */
export async function sourceOf(client: TemplatePdf): Promise<string | undefined> {
  const buffer = await client.generate("inv_2024", { total: "£1,000,000" }).buffer();
  return buffer.toString().split("\n")[1];
}
