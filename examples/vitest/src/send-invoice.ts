import { TemplatePdf, type Values } from "template-pdf";
import { sendMail } from "./send-mail.ts";
import { invoice, reminder } from "./templates.ts";

export interface Order {
  readonly number: string;
  readonly customer: { readonly name: string; readonly mail: string };
  readonly items: readonly { readonly name: string; readonly pence: number }[];
}

// Reads TEMPLATE_PDF_BASE_URL and TEMPLATE_PDF_API_KEY.
const pdfs = new TemplatePdf();

/** Generates the invoice of an order, and sends it to the customer. */
export async function sendInvoice(order: Order): Promise<void> {
  const values: Values<typeof invoice> = {
    number: order.number,
    customer: order.customer.name,
    lines: order.items.map(({ name, pence }) => ({ text: name, amount: pence })),
    total: order.items.reduce((sum, { pence }) => sum + pence, 0),
  };
  const pdf = await pdfs.generate(invoice, values).blob();
  await sendMail(order.customer.mail, `Invoice ${order.number}`, pdf);
}

/** Generates a reminder of an invoice, and sends it. */
export async function sendReminder(order: Order, days: number): Promise<void> {
  const pdf = await pdfs.generate(reminder, { number: order.number, days }).blob();
  await sendMail(order.customer.mail, `Reminder of ${order.number}`, pdf);
}
