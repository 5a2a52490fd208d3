import { template } from "template-pdf";
import * as z from "zod";

const pounds = new Intl.NumberFormat("en-GB", { style: "currency", currency: "GBP" });

/** Accepts pence, and sends text such as £1,234.50. */
const money = z
  .int()
  .nonnegative()
  .transform((pence) => pounds.format(pence / 100));

export const invoice = template(
  "invoice",
  z.object({
    number: z.string().regex(/^\d{4}-\d{4}$/),
    customer: z.string().min(1),
    lines: z.array(z.object({ text: z.string(), amount: money })).min(1),
    total: money,
  }),
);

export const reminder = template("reminder", z.object({ number: z.string(), days: z.int() }));
