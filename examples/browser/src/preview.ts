import { download, type ObjectUrl } from "template-pdf/browser";
import { element } from "./element.ts";
import { moveFocus } from "./focus.ts";

const title = element("tray-title");
const frame = element<HTMLIFrameElement>("frame");
const blank = element("blank");
const downloadButton = element<HTMLButtonElement>("download");

/** For the browser's own viewer: the page in its full width, and nothing beside it. */
const view = "#view=FitH&navpanes=0&pagemode=none";

/** The document that is shown. */
let shown: ObjectUrl | undefined;

/** Shows a document in place of the one before. */
export function showPreview(document: ObjectUrl): void {
  shown?.revoke();
  shown = document;
  title.textContent = nameOf(document).replace(/\.pdf$/, "");
  // On many telephones, browsers show no documents within a page.
  const isShowable = navigator.pdfViewerEnabled;
  frame.hidden = !isShowable;
  if (isShowable) frame.src = document.url + view;
  blank.hidden = isShowable;
  blank.textContent = "This browser shows no documents here. Download it to see it.";
  downloadButton.hidden = false;
  moveFocus(title);
}

// The same bytes: nothing is made a second time.
downloadButton.addEventListener("click", () => {
  if (shown) download(shown.blob, nameOf(shown));
});

function nameOf({ filename }: ObjectUrl): string {
  return filename ?? "invoice.pdf";
}
