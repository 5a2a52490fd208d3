import { AuthenticationError, TemplatePdf } from "template-pdf";
import { download } from "template-pdf/browser";

const pdfs = new TemplatePdf({ baseUrl: "/api/pdf" }); // the page's own server; no key
const button = document.querySelector("button");
const status = document.querySelector("output");

button.addEventListener("click", async () => {
  button.disabled = true;
  status.textContent = "Generating the invoice …";
  try {
    await download(pdfs.generate("invoice", { number: "2026-0117" }));
    status.textContent = "The invoice was saved.";
  } catch (error) {
    const isSignedOut = AuthenticationError.is(error);
    status.textContent = isSignedOut
      ? "Reload the page to sign in."
      : "The invoice could not be generated. Try again in a minute.";
  } finally {
    button.disabled = false;
  }
});
