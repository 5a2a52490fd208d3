import { useEffect, useRef, useState } from "preact/hooks";

/** The part of the pdf.js API that is used here. */
interface PdfJs {
  readonly GlobalWorkerOptions: { workerSrc: string };
  readonly PDFWorker: new () => object;
  getDocument(source: { data: Uint8Array; worker: object; isEvalSupported: false }): {
    promise: Promise<PdfJsDocument>;
  };
}
interface PdfJsDocument {
  readonly numPages: number;
  getPage(number: number): Promise<PdfJsPage>;
  destroy(): Promise<void>;
}
interface PdfJsPage {
  getViewport(options: { scale: number }): { readonly width: number; readonly height: number };
  render(options: { canvas: HTMLCanvasElement; canvasContext: unknown; viewport: unknown }): {
    promise: Promise<void>;
  };
}

const zooms = [0.5, 0.75, 1, 1.25, 1.5, 2, 3];

/** `fit` makes pages as wide as their place, but not larger than on paper. */
type Zoom = number | "fit";

/** Shows the pages of a document with the installed pdf.js. */
export function PdfPages({ bytes }: { readonly bytes: Uint8Array }) {
  const place = useRef<HTMLElement>(null);
  const [zoom, setZoom] = useState<Zoom>("fit");
  const [scale, setScale] = useState(1);
  const [page, setPage] = useState(1);
  const [pages, setPages] = useState(1);
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    const shown = place.current;
    if (!shown) return;
    let isLeft = false;
    draw(bytes, zoom, shown, () => isLeft).then(
      (drawn) => {
        if (isLeft || drawn === undefined) return;
        const { count } = drawn;
        setScale(drawn.scale);
        setPages(count);
        setPage((last) => Math.min(last, count));
        setFault(undefined);
      },
      (error: Error) => !isLeft && setFault(`pdf.js cannot show this document: ${error.message}`),
    );
    return () => {
      isLeft = true;
    };
  }, [bytes, zoom]);
  const show = (number: number) => {
    setPage(number);
    place.current?.children[number - 1]?.scrollIntoView({ block: "start" });
  };
  const smaller = zooms.findLast((each) => each < scale - 0.01);
  const larger = zooms.find((each) => each > scale + 0.01);
  /** The page at the top third, which a reader looks at. */
  const follow = ({ currentTarget }: { readonly currentTarget: HTMLElement }) => {
    const { top, height } = currentTarget.getBoundingClientRect();
    const shown = [...currentTarget.children].findIndex(
      (each) => each.getBoundingClientRect().bottom > top + height / 3,
    );
    if (shown >= 0) setPage(shown + 1);
  };
  return (
    <>
      <section class="bar pager" aria-label="Pages">
        <button type="button" disabled={page <= 1} onClick={() => show(page - 1)}>
          Previous page
        </button>
        <span>
          Page {page} of {pages}
        </span>
        <button type="button" disabled={page >= pages} onClick={() => show(page + 1)}>
          Next page
        </button>
        <button
          type="button"
          aria-label="Zoom out"
          disabled={smaller === undefined}
          onClick={() => setZoom(smaller ?? zoom)}
        >
          −
        </button>
        <span>{Math.round(scale * 100)} %</span>
        <button
          type="button"
          aria-label="Zoom in"
          disabled={larger === undefined}
          onClick={() => setZoom(larger ?? zoom)}
        >
          +
        </button>
        <button type="button" aria-pressed={zoom === "fit"} onClick={() => setZoom("fit")}>
          Fit width
        </button>
      </section>
      {fault !== undefined && <p class="problem">{fault}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      <section class="pages" tabIndex={0} aria-label="Document" ref={place} onScroll={follow} />
    </>
  );
}

let loaded: Promise<{ readonly pdfJs: PdfJs; readonly worker: object }> | undefined;

/** Loads pdf.js once and starts one worker for all documents, because the start takes longer than drawing a document. */
async function loadPdfJs() {
  const from = "/_playground/pdfjs/";
  const pdfJs: PdfJs = await import(/* @vite-ignore */ `${from}pdf.min.mjs`);
  pdfJs.GlobalWorkerOptions.workerSrc = `${from}pdf.worker.min.mjs`;
  return { pdfJs, worker: new pdfJs.PDFWorker() };
}

/**
 * Draws the pages of a document, the visible ones first. Each page replaces the last one after it is drawn, which avoids flicker and
 * keeps the scroll position.
 *
 * @returns the number of pages and their scale; `undefined` if a newer document is drawn
 */
async function draw(bytes: Uint8Array, zoom: Zoom, place: HTMLElement, isLeft: () => boolean) {
  loaded ??= loadPdfJs();
  const { pdfJs, worker } = await loaded;
  // Copies the bytes, because pdf.js transfers them to its worker.
  const document = await pdfJs.getDocument({ data: bytes.slice(), worker, isEvalSupported: false }).promise;
  try {
    const first = await document.getPage(1);
    const scale = zoom === "fit" ? scaleToFit(first, place) : zoom;
    for (const number of visibleFirst(place, document.numPages)) {
      if (isLeft()) return undefined;
      const canvas = await drawPage(await document.getPage(number), number, scale);
      if (isLeft()) return undefined;
      const last = place.children[number - 1];
      if (last) last.replaceWith(canvas);
      else place.append(canvas);
    }
    while (place.children.length > document.numPages) place.lastChild?.remove();
    return { count: document.numPages, scale };
  } finally {
    await document.destroy();
  }
}

/** Returns the numbers of the pages that are visible, and then the others in order. New pages are at the end. */
function visibleFirst(place: HTMLElement, count: number): readonly number[] {
  const { top, bottom } = place.getBoundingClientRect();
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const isVisible = (number: number) => {
    const page = place.children[number - 1]?.getBoundingClientRect();
    return page !== undefined && page.bottom > top && page.top < bottom;
  };
  return [...numbers.filter(isVisible), ...numbers.filter((number) => !isVisible(number))];
}

function scaleToFit(page: PdfJsPage, place: HTMLElement): number {
  const { paddingLeft, paddingRight } = getComputedStyle(place);
  const width = place.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
  // A hidden place has no width.
  return width > 0 ? Math.min(1, width / page.getViewport({ scale: 1 }).width) : 1;
}

async function drawPage(page: PdfJsPage, number: number, scale: number): Promise<HTMLCanvasElement> {
  const viewport = page.getViewport({ scale: scale * devicePixelRatio });
  const canvas = Object.assign(document.createElement("canvas"), {
    width: viewport.width,
    height: viewport.height,
  });
  canvas.style.width = `${viewport.width / devicePixelRatio}px`;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `Page ${number}`);
  await page.render({ canvas, canvasContext: canvas.getContext("2d"), viewport }).promise;
  return canvas;
}
