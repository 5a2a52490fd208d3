import { Fragment } from "preact";
import { useState } from "preact/hooks";
import type { LoggedCall, LoggedRequest } from "../request-log.ts";
import { formatBytes } from "./preview.tsx";
import { readRequest } from "./server.ts";

interface RequestsProps {
  readonly requests: readonly LoggedCall[];
  /** The uids of the existing templates. */
  readonly uids: readonly string[];
  /** Loads values into the form of a template. */
  readonly onUse: (uid: string, values: string) => void;
}

/** The calls of all clients that reached the emulator. */
export function Requests({ requests, uids, onUse }: RequestsProps) {
  const [shown, setShown] = useState<LoggedRequest>();
  const [fault, setFault] = useState<string>();
  const show = (id: number) => {
    if (shown?.id === id) return setShown(undefined);
    readRequest(id).then(setShown, (error: Error) => setFault(error.message));
  };
  if (requests.length === 0) return <p class="empty">No requests have reached the emulator yet.</p>;
  return (
    <div class="requests">
      {fault !== undefined && <p class="problem">{fault}</p>}
      <table>
        <caption>The most recent requests, up to 100. They are kept only in memory.</caption>
        <thead>
          <tr>
            {["Time", "Template", "Status", "Size", "Duration", "Detail"].map((title) => (
              <th scope="col" key={title}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {requests.map(({ id, time, method, path, uid, status, bytes, durationMs, detail, error }) => (
            <Fragment key={id}>
              <tr class={status >= 400 || status === 0 ? "failed" : ""}>
                <td>
                  <button
                    type="button"
                    class="small"
                    aria-expanded={shown?.id === id}
                    onClick={() => show(id)}
                  >
                    {new Date(time).toLocaleTimeString("en-GB")}
                  </button>
                </td>
                <td>{uid ?? `${method} ${path}`}</td>
                <td>{status === 0 ? "no answer" : status}</td>
                <td>{bytes > 0 ? formatBytes(bytes) : "-"}</td>
                <td>{Math.round(durationMs)} ms</td>
                <td>{error ?? detail}</td>
              </tr>
              {shown?.id === id && (
                <tr>
                  <td colSpan={6}>
                    <Whole request={shown} {...{ uids, onUse }} />
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Whole({
  request,
  uids,
  onUse,
}: Omit<RequestsProps, "requests"> & { readonly request: LoggedRequest }) {
  const { uid = "", method, path, requestId, headers, values } = request;
  const text = values && JSON.stringify(values, null, 2);
  return (
    <>
      <p>
        {method} {path} {requestId && <code title="x-request-id">{requestId}</code>}
      </p>
      <h3>Headers</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      <pre tabIndex={0}>{headers.map(([name, value]) => `${name}: ${value}`).join("\n")}</pre>
      <h3>Values</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: as above. */}
      <pre tabIndex={0}>{text ?? "The values were not read, or are too long to keep."}</pre>
      {text !== undefined && uids.includes(uid) && (
        <button type="button" onClick={() => onUse(uid, text)}>
          Use these values
        </button>
      )}
    </>
  );
}
