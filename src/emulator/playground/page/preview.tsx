import { useEffect, useState } from "preact/hooks";
import type { LoggedCall } from "../request-log.ts";
import { PdfPages } from "./pdf-pages.tsx";
import type { Rendering } from "./use-document.ts";

interface PreviewProps {
  readonly uid: string;
  readonly rendering: Rendering;
  /** The log entry of the last call. */
  readonly logged: LoggedCall | undefined;
  /** The error in the template file. */
  readonly fault: string | undefined;
  readonly hasPdfJs: boolean;
  readonly isHidden: boolean;
}

/** Shows the last complete document and the result of the last call. */
export function Preview({ uid, rendering, logged, fault, hasPdfJs, isHidden }: PreviewProps) {
  const { document, refusal, isPending } = rendering;
  const url = useBlobUrl(document?.bytes);
  const reason = refusal && (logged?.error ?? fault ?? refusal.detail);
  // For a document, the log entry says what it does not show.
  const warning = !refusal && logged?.status === 200 ? logged.detail : undefined;
  return (
    <div class="preview" hidden={isHidden}>
      <p class="bar" role="status">
        {isPending && !document && !refusal && "Rendering…"}
        {document && (
          <span>
            {document.pages} {document.pages === 1 ? "page" : "pages"}, {formatBytes(document.bytes.length)},{" "}
            {Math.round(document.durationMs)} ms{" "}
            {document.requestId && <code title="x-request-id">{document.requestId}</code>}
          </span>
        )}
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
      {refusal && (
        <div class="problem" role="alert">
          <strong>{refusal.status === 0 ? "No document" : `Refused with ${refusal.status}`}</strong>
          <p>{reason}</p>
          {document && <p>The last good document is shown below.</p>}
        </div>
      )}
      {warning !== undefined && <p class="problem warning">{warning}</p>}
      {document && hasPdfJs && <PdfPages bytes={document.bytes} />}
      {url !== undefined && !hasPdfJs && <iframe title={`Preview of ${uid}`} src={`${url}#navpanes=0`} />}
    </div>
  );
}

function useBlobUrl(bytes: Uint8Array<ArrayBuffer> | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!bytes) return setUrl(undefined);
    const created = URL.createObjectURL(new Blob([bytes], { type: "application/pdf" }));
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [bytes]);
  return url;
}

export function formatBytes(bytes: number): string {
  return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`;
}
