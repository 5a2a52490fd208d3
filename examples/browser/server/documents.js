import { randomBytes } from "node:crypto";
import { TemplatePdf, template } from "template-pdf";
import { createHandler } from "template-pdf/handler";
import * as z from "zod";
import { isSignedIn } from "./session.js";

const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
const pounds = new Intl.NumberFormat("en-GB", { style: "currency", currency: "GBP" });

const isTooLong = "Enter a shorter text.";

/** The values of an invoice, with the messages for invalid ones. */
const invoice = template(
  "invoice",
  z.object({
    number: z.string(),
    customer: z.string().trim().min(1, "Enter the customer.").max(80, isTooLong),
    date: z.iso.date("Enter the date.").transform((date) => day.format(new Date(date))),
    work: z.string().trim().min(1, "Enter the work.").max(300, isTooLong),
    amount: z
      .string()
      .trim()
      .regex(/^\d{1,7}(\.\d\d)?$/, "Enter an amount such as 640.00.")
      .transform((amount) => pounds.format(Number(amount))),
    note: z.string().trim().max(500, isTooLong).optional(),
  }),
);

function newNumber() {
  return `${new Date().getFullYear()}-${randomBytes(2).toString("hex").toUpperCase()}`;
}

/**
 * Creates the handler of the page. The API key stays on the server.
 *
 * @param {{ baseUrl: string, apiKey: string }} service
 */
export function makeDocuments({ baseUrl, apiKey }) {
  return createHandler({
    client: new TemplatePdf({ baseUrl, apiKey }),
    templates: { invoice },
    authorize: (request) => isSignedIn(request) || new Response("Sign in first.", { status: 401 }),
    // The server chooses the number, whatever the page sends. In your application, it comes from a database.
    values: (_request, values) => ({ ...values, number: newNumber() }),
    filename: (_request, values) => `Invoice ${values.number}`,
  });
}
