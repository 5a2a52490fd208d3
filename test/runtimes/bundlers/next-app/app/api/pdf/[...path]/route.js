import { template } from "template-pdf";
import { createHandler } from "template-pdf/handler";
import { pdfs } from "../../../pdfs.js";

/** Any Standard Schema. */
const anything = { "~standard": { version: 1, vendor: "app", validate: (value) => ({ value }) } };

export const POST = createHandler({
  client: pdfs,
  templates: { invoice: template("inv_2024", anything) },
  authorize: () => true,
});
