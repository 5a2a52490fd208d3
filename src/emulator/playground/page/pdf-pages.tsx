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

/** Shows the pages of a document with the installed pdf.js. */
export function PdfPages({ bytes }: { readonly bytes: Uint8Array }) {
  const place = useRef<HTMLElement>(null);
  const [zoom, setZoom] = useState(1);
  const [page, setPage] = useState(1);
  const [pages, setPages] = useState(1);
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    let isLeft = false;
    draw(bytes, zoom, () => isLeft).then(
      (canvases) => {
        if (isLeft || !canvases) return;
        // Replaces the pages after all are drawn, which avoids flicker and keeps the scroll position.
        place.current?.replaceChildren(...canvases);
        setPages(canvases.length);
        setPage((last) => Math.min(last, canvases.length));
        setFault(undefined);
      },
      (error: Error) => setFault(`pdf.js cannot show this document: ${error.message}`),
    );
    return () => {
      isLeft = true;
    };
  }, [bytes, zoom]);
  const show = (number: number) => {
    setPage(number);
    place.current?.children[number - 1]?.scrollIntoView({ block: "start" });
  };
  const step = (by: number) => setZoom(zooms[zooms.indexOf(zoom) + by] ?? zoom);
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
        <button type="button" aria-label="Zoom out" disabled={zoom === zooms[0]} onClick={() => step(-1)}>
          −
        </button>
        <span>{Math.round(zoom * 100)} %</span>
        <button type="button" aria-label="Zoom in" disabled={zoom === zooms.at(-1)} onClick={() => step(1)}>
          +
        </button>
      </section>
      {fault !== undefined && <p class="problem">{fault}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      <section class="pages" tabIndex={0} aria-label="Document" ref={place} />
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

async function draw(bytes: Uint8Array, zoom: number, isLeft: () => boolean) {
  loaded ??= loadPdfJs();
  const { pdfJs, worker } = await loaded;
  // Copies the bytes, because pdf.js transfers them to its worker.
  const document = await pdfJs.getDocument({ data: bytes.slice(), worker, isEvalSupported: false }).promise;
  const canvases: HTMLCanvasElement[] = [];
  for (let number = 1; number <= document.numPages && !isLeft(); number++) {
    const page = await document.getPage(number);
    const viewport = page.getViewport({ scale: zoom * devicePixelRatio });
    const canvas = Object.assign(window.document.createElement("canvas"), {
      width: viewport.width,
      height: viewport.height,
    });
    canvas.style.width = `${viewport.width / devicePixelRatio}px`;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `Page ${number}`);
    await page.render({ canvas, canvasContext: canvas.getContext("2d"), viewport }).promise;
    canvases.push(canvas);
  }
  await document.destroy();
  return isLeft() ? undefined : canvases;
}
