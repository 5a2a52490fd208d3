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

/** Aborts the call in flight, if there is one. */
let call: AbortController | undefined;

element<HTMLFormElement>("form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (!call) makeInvoice();
});
// Loads the client when the user starts to fill in the form. If that fails, the click on the button shows the error.
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
    endProgress("The invoice was generated.");
    showPreview(document);
  } catch (error) {
    if (signal.aborted) {
      endProgress("Cancelled. No invoice was generated.");
      moveFocus(makeButton);
      return;
    }
    endProgress("");
    const { text, fields, action } = explain(error);
    const isShownAtField = showFieldErrors(fields);
    showNotice(text, { action, takesFocus: !isShownAtField });
  } finally {
    call = undefined;
    setBusy(false);
  }
}

/** Sets `aria-disabled` instead of `disabled`, so that the button keeps the focus. */
function setBusy(isBusy: boolean): void {
  makeButton.setAttribute("aria-disabled", String(isBusy));
  cancelButton.hidden = !isBusy;
}
