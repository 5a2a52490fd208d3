import { useEffect, useState } from "preact/hooks";
import { type CodeOf, codeSamples } from "./code-samples.ts";
import { readTypes } from "./server.ts";

/** Shows the call with these values as code, and the types of the template. */
export function Code({ saves, ...call }: CodeOf & { readonly saves: number }) {
  const [types, setTypes] = useState("");
  useEffect(() => {
    readTypes(call.uid).then(setTypes, (error: Error) => setTypes(error.message));
  }, [call.uid, saves]);
  const samples = Object.entries(codeSamples).map(([name, write]) => [name, write(call)] as const);
  return (
    <div class="code">
      {[...samples, ["Types", types] as const].map(([name, code]) => (
        <Sample key={name} {...{ name, code }} />
      ))}
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
