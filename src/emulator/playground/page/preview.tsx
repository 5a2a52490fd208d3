import { useEffect, useState } from "preact/hooks";
import type { DocumentState, Pending } from "./document-state.ts";
import { PdfPages } from "./pdf-pages.tsx";
import type { PdfDocument, Refusal } from "./server.ts";
import { useBlobUrl } from "./use-blob-url.ts";

interface PreviewProps {
  readonly uid: string;
  readonly shown: DocumentState;
  /** The error in the template file, if its sample cannot be rendered. */
  readonly fault?: string;
  readonly hasPdfJs: boolean;
  readonly isHidden: boolean;
}

/** Shows the last complete document and the result of the last call. */
export function Preview({ uid, shown, fault, hasPdfJs, isHidden }: PreviewProps) {
  const document = "document" in shown ? shown.document : undefined;
  const refusal = "refusal" in shown ? shown.refusal : undefined;
  const pending = "pending" in shown ? shown.pending : undefined;
  const url = useBlobUrl(document?.bytes, "application/pdf");
  // A template that cannot be loaded has no sample, so nothing can be rendered.
  const cannotLoad = pending?.why === "template" && fault !== undefined;
  return (
    <div class="preview" hidden={isHidden} data-state={shown.kind} aria-busy={pending !== undefined}>
      {document && <DocumentBar {...{ uid, document, url }} />}
      <p class={`pending ${pending?.why ?? ""}`} role="status">
        {pending && !cannotLoad && <PendingText {...{ pending }} isOutOfDate={document !== undefined} />}
      </p>
      {cannotLoad && (
        <div class="problem" role="alert">
          <strong>The template cannot be loaded</strong>
          <p>{fault}</p>
        </div>
      )}
      {refusal && (
        <div class={pending ? "problem earlier" : "problem"} role="alert">
          <strong>{titleOf(refusal)}</strong>
          <p>{refusal.detail}</p>
          {document && <p>The last good document is shown below.</p>}
        </div>
      )}
      {shown.kind === "ready" && document?.warning !== undefined && (
        <p class="problem warning">{document.warning}</p>
      )}
      {document && hasPdfJs && <PdfPages bytes={document.bytes} />}
      {url !== undefined && !hasPdfJs && <iframe title={`Preview of ${uid}`} src={`${url}#navpanes=0`} />}
    </div>
  );
}

function DocumentBar(props: {
  readonly uid: string;
  readonly document: PdfDocument;
  readonly url: string | undefined;
}) {
  const { uid, document, url } = props;
  const { pages, bytes, durationMs, requestId } = document;
  return (
    <p class="bar">
      <span>
        {pages} {pages === 1 ? "page" : "pages"}, {formatBytes(bytes.length)}, {Math.round(durationMs)} ms{" "}
        {requestId && <code title="x-request-id">{requestId}</code>}
      </span>
      {url !== undefined && (
        <>
          <a class="button" href={url} download={`${uid.replace(/[^\p{L}\p{N}._ -]/gu, "_")}.pdf`}>
            Download
          </a>
          <a class="button" href={url} target="_blank" rel="noreferrer">
            Open in a new tab
          </a>
        </>
      )}
    </p>
  );
}

function PendingText({ pending, isOutOfDate }: { readonly pending: Pending; readonly isOutOfDate: boolean }) {
  if ("detail" in pending)
    return <>{`${isOutOfDate ? "Out of date" : "No document yet"}: ${pending.detail}`}</>;
  if (pending.why === "template") return <>Loading the template…</>;
  if (pending.why === "typing") return <>{isOutOfDate ? "Out of date" : "Rendering…"}</>;
  const text = pending.why === "queue" ? "Waiting for a free rendering thread…" : "Rendering…";
  return (
    <>
      {text} <Elapsed sinceMs={pending.sinceMs} />
    </>
  );
}

/** Shows the seconds since a time, from the first whole second. */
function Elapsed({ sinceMs }: { readonly sinceMs: number }) {
  const [nowMs, setNow] = useState(sinceMs);
  useEffect(() => {
    setNow(performance.now());
    const timer = setInterval(() => setNow(performance.now()), 500);
    return () => clearInterval(timer);
  }, [sinceMs]);
  const seconds = Math.floor((nowMs - sinceMs) / 1_000);
  // A screen reader need not read every second.
  return <span aria-hidden="true">{seconds >= 1 && `${seconds} s`}</span>;
}

function titleOf({ status }: Refusal): string {
  if (status === 0) return "No response";
  return status < 300 ? `No document, although the status is ${status}` : `Refused with ${status}`;
}

export function formatBytes(bytes: number): string {
  return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`;
}
