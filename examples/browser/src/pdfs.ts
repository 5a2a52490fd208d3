import type { TemplatePdf } from "template-pdf";

/** What the templates take that the server offers, by the names that it gives them. */
interface Documents {
  invoice: { customer: string; date: string; work: string; amount: string; note?: string | undefined };
}

export type Invoice = Documents["invoice"];

let client: Promise<TemplatePdf<Documents>> | undefined;

/** The client, which is loaded when it is first asked for: the page is there before it. */
export function pdfs(): Promise<TemplatePdf<Documents>> {
  client ??= load();
  return client;
}

async function load(): Promise<TemplatePdf<Documents>> {
  const { TemplatePdf } = await import("template-pdf");
  // No key: the server at this path has it. The session's cookie goes along, because the path is of the page's own origin.
  return new TemplatePdf<Documents>({ baseUrl: "/api/pdf" });
}
