import { useEffect, useState } from "preact/hooks";
import { codeSamples, environment, isLong, valuesFileOf } from "./code-samples.ts";
import { type Draft, objectionTo } from "./draft.ts";
import { readTypes, type ServerState } from "./server.ts";
import { useBlobUrl } from "./use-blob-url.ts";

interface CodeProps {
  readonly server: Pick<ServerState, "baseUrl" | "apiKey">;
  readonly uid: string;
  readonly draft: Draft;
  /** Changes when files are saved. */
  readonly revision: number;
}

/** Shows the call with the current values as code, and the types of the template. */
export function Code({ server: { baseUrl, apiKey }, uid, draft, revision }: CodeProps) {
  const [types, setTypes] = useState("");
  useEffect(() => {
    let isLeft = false;
    const show = (text: string) => !isLeft && setTypes(text);
    readTypes(uid).then(show, (error: Error) => show(error.message));
    return () => {
      isLeft = true;
    };
  }, [uid, revision]);
  const call = { baseUrl, apiKey, uid, values: draft.lastValues };
  const samples = Object.entries(codeSamples).map(([name, write]) => [name, write(call)] as const);
  const valuesFile = isLong(call.values) ? valuesFileOf(uid) : undefined;
  const valuesUrl = useBlobUrl(valuesFile && draft.json, "application/json");
  const objection = objectionTo(draft);
  return (
    <div class="code">
      {objection !== undefined && (
        <p class="problem warning" role="status">
          The code contains the last valid values. {objection}
        </p>
      )}
      {valuesFile !== undefined && valuesUrl !== undefined && (
        <p>
          The commands read the values from{" "}
          <a class="button" href={valuesUrl} download={valuesFile}>
            Download {valuesFile}
          </a>
        </p>
      )}
      {[["API key", environment(apiKey)] as const, ...samples, ["Types", types] as const].map(
        ([name, code]) => (
          <Sample key={name} {...{ name, code }} />
        ),
      )}
    </div>
  );
}

function Sample({ name, code }: { readonly name: string; readonly code: string }) {
  const [copied, setCopied] = useState<string>();
  const copy = () =>
    navigator.clipboard.writeText(code).then(
      () => setCopied(code),
      () => setCopied(undefined),
    );
  return (
    <section aria-label={name}>
      <div class="bar">
        <h3>{name}</h3>
        <button type="button" onClick={copy} aria-label={`Copy ${name}`}>
          {copied === code ? "Copied" : "Copy"}
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </section>
  );
}
