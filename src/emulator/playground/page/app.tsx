import { useEffect, useMemo, useState } from "preact/hooks";
import { isJsonObject } from "../../../json/json-value.ts";
import { type LoggedCall, maxRequests } from "../request-log.ts";
import { Code } from "./code.tsx";
import { Faults } from "./faults.tsx";
import { Preview } from "./preview.tsx";
import { Requests } from "./requests.tsx";
import { listen, readState, type ServerState } from "./server.ts";
import { readStored, store } from "./stored-values.ts";
import { TemplateList } from "./template-list.tsx";
import { useDocument } from "./use-document.ts";
import { Values } from "./values.tsx";

const tabs = ["Preview", "Code", "Requests", "Faults"] as const;
type Tab = (typeof tabs)[number];

export function App() {
  const [state, setState] = useState<ServerState>();
  const [isConnected, setConnected] = useState(true);
  const [saves, setSaves] = useState(0);
  const [uid, setUid] = useState(uidOfAddress);
  const [text, setText] = useState("{}");
  const [tab, setTab] = useState<Tab>("Preview");

  const change = (part: Partial<ServerState>) => setState((last) => last && { ...last, ...part });
  useEffect(() => {
    // Also reloads the state after reconnecting, because the emulator may be a different one.
    const load = () => readState().then(setState, () => setConnected(false));
    const add = (call: LoggedCall) =>
      setState((last) => last && { ...last, requests: [call, ...last.requests].slice(0, maxRequests) });
    return listen({
      request: add,
      templates: (templates) => change({ templates }),
      misbehaviour: (misbehaviour) => change({ misbehaviour }),
      saved: () => setSaves((count) => count + 1),
      connected: (isThere) => {
        setConnected(isThere);
        if (isThere) void load();
      },
    });
  }, []);

  const template = state?.templates.find((each) => each.uid === uid) ?? state?.templates[0];
  const selected = template?.uid;
  const sample = useMemo(() => JSON.stringify(template?.sample ?? {}, null, 2), [template]);
  useEffect(() => {
    if (selected === undefined) return;
    history.replaceState(undefined, "", `#${encodeURIComponent(selected)}`);
    setText(readStored(selected) ?? sample);
  }, [selected]);
  useEffect(() => {
    // Unchanged values follow the sample of the file.
    if (selected !== undefined && readStored(selected) === undefined) setText(sample);
  }, [sample]);

  const onText = (next: string) => {
    setText(next);
    if (selected !== undefined) store(selected, next === sample ? undefined : next);
  };
  const { values, parseError } = useMemo(() => parse(text), [text]);
  const rendering = useDocument(state, selected, values, saves);

  if (!state) return <p class="empty">{isConnected ? "Loading…" : "The emulator is not responding."}</p>;
  const code = { baseUrl: state.baseUrl, apiKey: state.apiKey, uid: selected ?? "", values: values ?? {} };
  const answered = rendering.refusal ?? rendering.document;
  const logged = state.requests.find(({ requestId }) => requestId === answered?.requestId);
  return (
    <>
      <header>
        <h1>template-pdf playground</h1>
        <p>
          {state.baseUrl} {isConnected ? "" : <strong role="alert">The emulator has stopped.</strong>}
        </p>
      </header>
      <main class="columns">
        <TemplateList templates={state.templates} selected={selected} onSelect={setUid} />
        <Values
          key={selected}
          schema={template?.schema}
          {...{ text, values, parseError, onText }}
          errors={rendering.refusal?.errors ?? []}
          onSample={() => onText(sample)}
        />
        <section class="results" aria-label="Results">
          <nav aria-label="Views">
            {tabs.map((each) => (
              <button
                type="button"
                key={each}
                aria-current={each === tab ? "page" : undefined}
                onClick={() => setTab(each)}
              >
                {each}
                {each === "Faults" && isMisbehaving(state) ? " (on)" : ""}
              </button>
            ))}
          </nav>
          <Preview
            isHidden={tab !== "Preview"}
            {...{ rendering, logged }}
            uid={selected ?? ""}
            fault={template?.fault}
            hasPdfJs={state.hasPdfJs}
          />
          {tab === "Code" && <Code {...code} saves={saves} />}
          {tab === "Requests" && (
            <Requests
              requests={state.requests}
              uids={state.templates.map((each) => each.uid)}
              onUse={(ofUid, used) => {
                store(ofUid, used);
                setUid(ofUid);
                if (ofUid === selected) setText(used);
                setTab("Preview");
              }}
            />
          )}
          {tab === "Faults" && <Faults {...state.misbehaviour} />}
        </section>
      </main>
    </>
  );
}

/** Returns the template in the page URL. */
function uidOfAddress(): string {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

function isMisbehaving({ misbehaviour: { faults, latency } }: ServerState): boolean {
  return faults.length > 0 || latency !== "0";
}

function parse(text: string): { values?: Record<string, unknown>; parseError?: string } {
  try {
    const values: unknown = JSON.parse(text);
    return isJsonObject(values) ? { values } : { parseError: "The values must be one JSON object." };
  } catch (error) {
    return { parseError: (error as Error).message };
  }
}
