import { AuthenticationError, TemplatePdf } from "template-pdf";
import { download } from "template-pdf/browser";

const pdfs = new TemplatePdf({ baseUrl: "/api/pdf" }); // the server that the page came from; no key
const button = document.querySelector("button");
const said = document.querySelector("output");

button.addEventListener("click", async () => {
  button.disabled = true;
  said.textContent = "Making the invoice …";
  try {
    await download(pdfs.generate("invoice", { number: "2026-0117" }));
    said.textContent = "The invoice is saved.";
  } catch (error) {
    const isSignedOut = AuthenticationError.is(error);
    said.textContent = isSignedOut
      ? "Load the page again to sign in."
      : "That did not work. Try again in a minute.";
  } finally {
    button.disabled = false;
  }
});
