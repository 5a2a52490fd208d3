import { TemplatePdf } from "template-pdf";

const pdfs = new TemplatePdf({ baseUrl: "/api/pdf" });

globalThis.onmessage = async () => {
  const bytes = await pdfs
    .generate("invoice", { total: "1" })
    .bytes()
    .catch((error) => ({ length: String(error) }));
  globalThis.postMessage(bytes.length);
};
