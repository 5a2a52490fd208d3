import { TemplatePdf } from "template-pdf";

/** What the templates take that the server offers, by the names that it gives them. */
interface Documents {
  invoice: { customer: string; date: string; work: string; amount: string; note?: string | undefined };
}

export type Invoice = Documents["invoice"];

/** No key: the server at this path has it. The session's cookie goes along, because the path is of the page's own origin. */
export const pdfs = new TemplatePdf<Documents>({ baseUrl: "/api/pdf" });
