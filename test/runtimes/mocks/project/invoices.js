import { TemplatePdf } from "template-pdf";

/** Makes our invoices. The environment says where the service is, and our queue tries again. */
export class Invoices {
  #pdfs;

  constructor(options) {
    this.#pdfs = new TemplatePdf({ retry: false, ...options });
  }

  pdf({ date, total }) {
    return this.#pdfs.generate("inv_2024", { date, total }).buffer();
  }
}
