import { objectUrl } from "template-pdf/browser";
import { element } from "./element.ts";
import { explain } from "./explain.ts";
import { moveFocus } from "./focus.ts";
import { clearFieldErrors, readInvoice, showFieldErrors } from "./form.ts";
import { clearNotice, showNotice } from "./notice.ts";
import { pdfs } from "./pdfs.ts";
import { showPreview } from "./preview.ts";
import { beginProgress, endProgress, showProgress, showRetry } from "./progress.ts";

const makeButton = element<HTMLButtonElement>("make");
const cancelButton = element<HTMLButtonElement>("cancel");

/** Gives up the call under way; `undefined` while there is none. */
let call: AbortController | undefined;

element<HTMLFormElement>("form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (!call) makeInvoice();
});
// Whoever begins to fill in the form will want the client. If it cannot be loaded, the click on the button tells.
element("form").addEventListener("focusin", () => pdfs().catch(() => {}), { once: true });
cancelButton.addEventListener("click", () => call?.abort());
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape") call?.abort();
});

async function makeInvoice(): Promise<void> {
  call = new AbortController();
  const { signal } = call;
  clearNotice();
  clearFieldErrors();
  setBusy(true);
  beginProgress();
  try {
    const client = await pdfs();
    const pdf = client
      .with({ hooks: { retry: ({ delayMs }) => showRetry(delayMs) } })
      .generate("invoice", readInvoice(), { signal, onProgress: showProgress });
    const document = await objectUrl(pdf);
    endProgress("The invoice is made.");
    showPreview(document);
  } catch (error) {
    if (signal.aborted) {
      endProgress("Cancelled. No invoice was made.");
      moveFocus(makeButton);
      return;
    }
    endProgress("");
    const { text, fields, action } = explain(error);
    const isBesideField = showFieldErrors(fields);
    showNotice(text, { action, takesFocus: !isBesideField });
  } finally {
    call = undefined;
    setBusy(false);
  }
}

/** The button keeps the focus while it is busy, so that nobody who uses the keyboard loses their place. */
function setBusy(isBusy: boolean): void {
  makeButton.setAttribute("aria-disabled", String(isBusy));
  cancelButton.hidden = !isBusy;
}
