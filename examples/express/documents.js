import { TemplatePdf, template } from "template-pdf";
import { createHandler } from "template-pdf/handler";
import * as z from "zod";
import { isSignedIn } from "./session.js";

/** The templates that the page can use, by name. */
const templates = {
  invoice: template("invoice", z.object({ number: z.string(), date: z.string(), total: z.string() })),
};

/** Handles the calls of the page. The API key stays on the server. */
export const documents = createHandler({
  client: new TemplatePdf(), // TEMPLATE_PDF_BASE_URL and TEMPLATE_PDF_API_KEY
  templates,
  authorize: (request) => isSignedIn(request) || new Response("Sign in first.", { status: 401 }),
  // The server sets the values that a page must not choose. In your application, they come from a database.
  values: (_request, { number }) => ({ number, date: "20 November 2026", total: "£640.00" }),
  filename: (_request, { number }) => `Invoice ${number}`,
});
