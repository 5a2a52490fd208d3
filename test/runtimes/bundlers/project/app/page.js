import { ApiError, TemplatePdf } from "template-pdf";
import { download, objectUrl } from "template-pdf/browser";

const pdfs = new TemplatePdf({ baseUrl: "/api/pdf" });

/** What the test asks of the page. */
globalThis.invoices = {
  /** The bytes of a document, and the number that was reported last. */
  async generate() {
    const told = [];
    const onProgress = ({ receivedBytes }) => told.push(receivedBytes);
    const bytes = await pdfs.generate("invoice", { total: "1" }, { onProgress }).bytes();
    return { bytes: bytes.length, told: told.at(-1) };
  },
  /** The first bytes of a document in a preview, and the address under which it was. */
  async preview() {
    const preview = await objectUrl(pdfs.generate("invoice", { total: "1" }));
    const begins = (await (await fetch(preview.url)).text()).slice(0, 5);
    preview.revoke();
    return { begins, url: preview.url };
  },
  /** The name under which a document would be saved. */
  async saves() {
    const names = [];
    const note = (event) => {
      event.preventDefault();
      names.push(event.target.download);
    };
    document.addEventListener("click", note, { once: true });
    await download(pdfs.generate("invoice", { total: "1" }), "invoice.pdf");
    return names;
  },
  /** The error for an unknown template. */
  refusal: () =>
    pdfs
      .generate("nothing", {})
      .bytes()
      .catch((error) => (error instanceof ApiError ? error.status : String(error))),
};
