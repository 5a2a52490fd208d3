import { download, type ObjectUrl } from "template-pdf/browser";
import { element } from "./element.ts";
import { moveFocus } from "./focus.ts";

const title = element("tray-title");
const frame = element<HTMLIFrameElement>("frame");
const blank = element("blank");
const downloadButton = element<HTMLButtonElement>("download");

/** Makes the browser's viewer show the page in full width, without a sidebar. */
const view = "#view=FitH&navpanes=0&pagemode=none";

/** The current document. */
let shown: ObjectUrl | undefined;

/** Shows a document, and releases the previous one. */
export function showPreview(document: ObjectUrl): void {
  shown?.revoke();
  shown = document;
  title.textContent = nameOf(document).replace(/\.pdf$/, "");
  // Most browsers on phones cannot show a PDF inside a page.
  const isShowable = navigator.pdfViewerEnabled;
  frame.hidden = !isShowable;
  if (isShowable) frame.src = document.url + view;
  blank.hidden = isShowable;
  blank.textContent = "This browser cannot show the invoice here. Download it to see it.";
  downloadButton.hidden = false;
  moveFocus(title);
}

// Saves the same document without another request.
downloadButton.addEventListener("click", () => {
  if (shown) download(shown.blob, nameOf(shown));
});

function nameOf({ filename }: ObjectUrl): string {
  return filename ?? "invoice.pdf";
}
