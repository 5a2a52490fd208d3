import { download, objectUrl } from "template-pdf/browser";

document.querySelector("button").onclick = async () => {
  const { ApiError, TemplatePdf } = await import("template-pdf");
  const pdfs = new TemplatePdf({ baseUrl: "/api/pdf" });
  const progress = [];
  const onProgress = ({ receivedBytes }) => progress.push(receivedBytes);
  const { length } = await pdfs.generate("invoice", { total: "1" }, { onProgress }).bytes();
  const preview = await objectUrl(pdfs.generate("invoice", { total: "1" }));
  const begins = (await (await fetch(preview.url)).text()).slice(0, 5);
  preview.revoke();
  await download(pdfs.generate("invoice", { total: "1" }), "invoice.pdf");
  const refusal = await pdfs
    .generate("nothing", {})
    .bytes()
    .catch((error) => error);
  const status = refusal instanceof ApiError && refusal.status;
  globalThis.outcome = { isReported: length > 500 && progress.at(-1) === length, begins, status };
};
