import type { TemplatePdf } from "template-pdf";

/** The values of the templates that the server offers, by name. */
interface Documents {
  invoice: { customer: string; date: string; work: string; amount: string; note?: string | undefined };
}

export type Invoice = Documents["invoice"];

let client: Promise<TemplatePdf<Documents>> | undefined;

/** Returns the client, which is loaded on the first call. */
export function pdfs(): Promise<TemplatePdf<Documents>> {
  client ??= load();
  return client;
}

async function load(): Promise<TemplatePdf<Documents>> {
  const { TemplatePdf } = await import("template-pdf");
  // The server has the key. The browser sends the session cookie, because the origin is the same.
  return new TemplatePdf<Documents>({ baseUrl: "/api/pdf" });
}
