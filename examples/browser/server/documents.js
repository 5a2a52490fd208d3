import { randomBytes } from "node:crypto";
import { TemplatePdf, template } from "template-pdf";
import { createHandler } from "template-pdf/handler";
import * as z from "zod";
import { isSignedIn } from "./session.js";

const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
const pounds = new Intl.NumberFormat("en-GB", { style: "currency", currency: "GBP" });

const isTooLong = "Use fewer words: this is more than fits.";

/** What an invoice takes, and what a person is told where it does not fit. */
const invoice = template(
  "invoice",
  z.object({
    number: z.string(),
    customer: z.string().trim().min(1, "Say who is to pay.").max(80, isTooLong),
    date: z.iso.date("Give the day.").transform((date) => day.format(new Date(date))),
    work: z.string().trim().min(1, "Say what the invoice is for.").max(300, isTooLong),
    amount: z
      .string()
      .trim()
      .regex(/^\d{1,7}(\.\d\d)?$/, "Write it as 640.00.")
      .transform((amount) => pounds.format(Number(amount))),
    note: z.string().trim().max(500, isTooLong).optional(),
  }),
);

function newNumber() {
  return `${new Date().getFullYear()}-${randomBytes(2).toString("hex").toUpperCase()}`;
}

/**
 * The endpoint that the page asks. The key stays on this side of it.
 *
 * @param {{ baseUrl: string, apiKey: string }} service
 */
export function makeDocuments({ baseUrl, apiKey }) {
  return createHandler({
    client: new TemplatePdf({ baseUrl, apiKey }),
    templates: { invoice },
    authorize: (request) => isSignedIn(request) || new Response("Sign in first.", { status: 401 }),
    // Whatever the page says: numbers are given here. Yours come from your books.
    values: (_request, values) => ({ ...values, number: newNumber() }),
    filename: (_request, values) => `Invoice ${values.number}`,
  });
}
