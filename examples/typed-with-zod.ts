// Describes the values of a template: the compiler checks them, and zod checks them before the request is sent.
//   node examples/typed-with-zod.ts
// Node 22.18, 24 and later run TypeScript. With older versions: npx tsx examples/typed-with-zod.ts
// It reads TEMPLATE_PDF_BASE_URL and TEMPLATE_PDF_API_KEY. In your own project, it needs zod, and "type": "module" in package.json.
import { TemplatePdf, template, type Values, ValuesError } from "template-pdf";
import * as z from "zod";

const pounds = new Intl.NumberFormat("en-GB", { style: "currency", currency: "GBP" });
const invoice = template(
  "invoice",
  z.object({
    number: z.string().regex(/^\d{4}-\d{4}$/, "Write it as 2026-0117."),
    date: z.string().optional(),
    // The template shows text, so the number is formatted before it is sent.
    total: z
      .number()
      .positive()
      .transform((total) => pounds.format(total)),
  }),
);

const pdfs = new TemplatePdf();
const values: Values<typeof invoice> = { number: "2026-0117", date: "20 November 2026", total: 640 };
const { path, bytes } = await pdfs.generate(invoice, values).saveTo("typed.pdf");
console.log(`${path}: ${bytes} bytes`);

// @ts-expect-error: the compiler reports this one.
await generate({ number: "2026-0118", total: "£94.00" });
// zod reports this one at run time.
await generate({ number: "118", total: 94 });

async function generate(values: Values<typeof invoice>): Promise<void> {
  try {
    await pdfs.generate(invoice, values).bytes();
  } catch (error) {
    if (!ValuesError.is(error)) throw error;
    for (const { path, message } of error.issues) console.log(`not sent: ${path.join(".")}: ${message}`);
  }
}
