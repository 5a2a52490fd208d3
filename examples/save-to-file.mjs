// Generates one invoice and saves it. The file is complete, or does not exist:
//   node examples/save-to-file.mjs invoice.pdf
// It reads TEMPLATE_PDF_BASE_URL and TEMPLATE_PDF_API_KEY.
import { TemplatePdf, TemplatePdfError } from "template-pdf";

const [file = "invoice.pdf"] = process.argv.slice(2);
const values = {
  number: "2026-0117",
  date: "20 November 2026",
  customer: { name: "Εκδόσεις Αθηνά Α.Ε.", address: "Ερμού 42, Αθήνα" },
  lines: [{ description: "Café menu", quantity: "2", price: "£320.00", amount: "£640.00" }],
  total: "£640.00",
};

try {
  const pdfs = new TemplatePdf();
  const { path, bytes } = await pdfs.generate("invoice", values).saveTo(file);
  console.log(`${path}: ${bytes} bytes`);
} catch (error) {
  if (!TemplatePdfError.is(error)) throw error;
  // The message says what to do. It contains neither the key nor values.
  console.error(error.message);
  process.exitCode = 1;
}
