import { Fragment } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import type { LoggedCall, LoggedRequest } from "../request-log.ts";
import { formatBytes } from "./preview.tsx";
import { readRequest } from "./server.ts";
import { type Store, useStore } from "./store.ts";

interface RequestsProps {
  readonly calls: Store<readonly LoggedCall[]>;
  /** The uids of the existing templates. */
  readonly uids: readonly string[];
  /** Loads values into the form of a template. */
  readonly onUse: (uid: string, values: string) => void;
}

/** The calls to show. */
const filters: Readonly<Record<string, (call: LoggedCall) => boolean>> = {
  All: () => true,
  Applications: ({ isPreview }) => !isPreview,
  "This page": ({ isPreview }) => isPreview,
  Failed: hasFailed,
};

/** The calls of all clients that reached the emulator. */
export function Requests({ calls, uids, onUse }: RequestsProps) {
  const requests = useStore(calls);
  const [filter, setFilter] = useState("All");
  const [shown, setShown] = useState<LoggedRequest>();
  const [fault, setFault] = useState<string>();
  const show = (id: number) => {
    if (shown?.id === id) return setShown(undefined);
    readRequest(id).then(setShown, (error: Error) => setFault(error.message));
  };
  if (requests.length === 0) return <p class="empty">No requests have reached the emulator yet.</p>;
  return (
    <div class="requests">
      <p class="bar">
        <label for="calls">Show</label>
        <select id="calls" value={filter} onChange={({ currentTarget }) => setFilter(currentTarget.value)}>
          {Object.keys(filters).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </p>
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
          {requests.filter(filters[filter] ?? hasFailed).map((call) => (
            <Fragment key={call.id}>
              <Row call={call} isShown={shown?.id === call.id} onShow={show} />
              {shown?.id === call.id && (
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

interface RowProps {
  readonly call: LoggedCall;
  readonly isShown: boolean;
  readonly onShow: (id: number) => void;
}

/** Compares only new rows when requests arrive. */
function Row({ call, isShown, onShow }: RowProps) {
  const latest = useRef(onShow);
  latest.current = onShow;
  return useMemo(() => {
    const { id, time, method, path, uid, status, bytes, durationMs, detail, error, isPreview } = call;
    return (
      <tr class={hasFailed(call) ? "failed" : ""}>
        <td>
          <button type="button" class="small" aria-expanded={isShown} onClick={() => latest.current(id)}>
            {timeOf(time)}
          </button>
        </td>
        <td>
          {uid ?? `${method} ${path}`} {isPreview && <small>this page</small>}
        </td>
        <td>{status === 0 ? "no answer" : status}</td>
        <td>{bytes > 0 ? formatBytes(bytes) : "-"}</td>
        <td>{Math.round(durationMs)} ms</td>
        <td>{error ?? detail}</td>
      </tr>
    );
  }, [call, isShown]);
}

function hasFailed({ status }: LoggedCall): boolean {
  return status >= 400 || status === 0;
}

/** Returns the local time of day. Formatters of the browser are slow. */
function timeOf(time: string): string {
  return new Date(time).toTimeString().slice(0, 8);
}

function Whole({ request, uids, onUse }: Omit<RequestsProps, "calls"> & { readonly request: LoggedRequest }) {
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
