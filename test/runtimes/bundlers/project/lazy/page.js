import { download } from "template-pdf/browser";

document.querySelector("button").onclick = async () => {
  const { TemplatePdf } = await import("template-pdf");
  await download(new TemplatePdf({ baseUrl: "/api/pdf" }).generate("invoice", { total: "1" }), "invoice.pdf");
};
