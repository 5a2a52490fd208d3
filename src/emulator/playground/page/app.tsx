import { useEffect, useMemo, useState } from "preact/hooks";
import { Code } from "./code.tsx";
import { Faults } from "./faults.tsx";
import { NoTemplates } from "./no-templates.tsx";
import { Preview } from "./preview.tsx";
import { Requests } from "./requests.tsx";
import type { Misbehaviour } from "./server.ts";
import { useStore } from "./store.ts";
import { TemplateList } from "./template-list.tsx";
import { Values } from "./values.tsx";
import { documentState, templateOf, Workbench } from "./workbench.ts";

const tabs = ["Preview", "Code", "Requests", "Faults"] as const;
type Tab = (typeof tabs)[number];

const workbench = new Workbench(uidOfAddress());

export function App() {
  const state = useStore(workbench.state);
  const [tab, setTab] = useState<Tab>("Preview");
  useEffect(() => workbench.connect(), []);
  useEffect(() => {
    const follow = () => workbench.select(uidOfAddress());
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);

  const { server, connection, templates, drafts, revision } = state;
  const template = templateOf(state);
  const { uid = "", schema } = template ?? {};
  const draft = drafts.get(uid);
  const shown = documentState(state);
  const errors = "refusal" in shown ? shown.refusal?.errors : undefined;
  // A form can be large, so it is compared only if something in it has changed.
  const values = useMemo(
    () => draft && <Values key={uid} {...{ workbench, uid, schema, draft, errors }} />,
    [uid, schema, draft, errors],
  );
  if (!server) {
    const isLost = connection === "lost";
    return <p class="empty">{isLost ? "The emulator is not responding." : "Connecting to the emulator…"}</p>;
  }
  return (
    <>
      <header>
        <h1>template-pdf playground</h1>
        <p>
          {server.baseUrl} {connection === "lost" && <strong role="alert">The emulator has stopped.</strong>}
        </p>
      </header>
      <main class="columns">
        <TemplateList {...{ templates, selected: uid }} onSelect={(next) => workbench.select(next)} />
        {values ?? <section class="values" aria-label="Values" />}
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
                {each === "Faults" && isMisbehaving(server.misbehaviour) ? " (on)" : ""}
              </button>
            ))}
          </nav>
          {!template && tab === "Preview" && (
            <NoTemplates folder={server.folder} fault={server.folderFault} />
          )}
          <Preview
            key={uid}
            isHidden={tab !== "Preview" || !template}
            {...{ uid, shown, hasPdfJs: server.hasPdfJs }}
            {...(template?.kind === "broken" && { fault: template.fault })}
          />
          {tab === "Code" && draft && <Code {...{ server, uid, draft, revision }} />}
          {tab === "Requests" && (
            <Requests
              calls={workbench.calls}
              uids={templates.map((each) => each.uid)}
              onUse={(ofUid, used) => {
                workbench.use(ofUid, used);
                setTab("Preview");
              }}
            />
          )}
          {tab === "Faults" && <Faults {...server.misbehaviour} />}
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

function isMisbehaving({ faults, latency }: Misbehaviour): boolean {
  return faults.length > 0 || latency !== "0";
}
