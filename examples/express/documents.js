import { TemplatePdf, template } from "template-pdf";
import { createHandler } from "template-pdf/handler";
import * as z from "zod";
import { isSignedIn } from "./session.js";

/** What the page may ask for: names, and what they take. */
const templates = {
  invoice: template("invoice", z.object({ number: z.string(), date: z.string(), total: z.string() })),
};

/** The endpoint that the page calls. The key stays on this side of it. */
export const documents = createHandler({
  client: new TemplatePdf(), // TEMPLATE_PDF_BASE_URL and TEMPLATE_PDF_API_KEY
  templates,
  authorize: (request) => isSignedIn(request) || new Response("Sign in first.", { status: 401 }),
  // What no page may decide is set here. Yours comes from your books.
  values: (_request, { number }) => ({ number, date: "20 November 2026", total: "£640.00" }),
  filename: (_request, { number }) => `Invoice ${number}`,
});
