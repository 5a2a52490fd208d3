import { useState } from "preact/hooks";
import { changeMisbehaviour, type Misbehaviour } from "./server.ts";

const kinds: Readonly<Record<string, string>> = {
  429: "too many requests; retry-after 2 adds the header",
  503: "the service is busy",
  500: "the service fails",
  text: "a document that was decoded as text on its way",
  html: "a login page, with status 200",
  cut: "a truncated document, after which the connection closes",
  stall: "a document that stalls in the middle",
  reset: "no response",
};

/** Edits the fault rules of the emulator. */
export function Faults({ faults, latency }: Misbehaviour) {
  const [fault, setFault] = useState<string>();
  const change = (next: Partial<Misbehaviour>) =>
    changeMisbehaviour({ faults, latency, ...next }).then(
      () => setFault(undefined),
      (error: Error) => setFault(error.message),
    );
  const rules = new Map(faults.map((rule) => [kindOf(rule), rule]));
  const names = [...new Set([...Object.keys(kinds), ...rules.keys()])];
  const replaced = (name: string, rule: string | undefined) => {
    const known = names.map((each) => (each === name ? rule : rules.get(each)));
    return { faults: known.filter((each) => each !== undefined) };
  };
  return (
    <form class="faults" aria-label="Faults" onSubmit={(event) => event.preventDefault()}>
      <p>
        These rules apply to all calls, including those of your application. If several rules apply, the first
        one wins.
      </p>
      <p class="fault" role="alert">
        {fault}
      </p>
      <label>
        Latency, such as 500 or 200..800 (ms)
        <input
          value={latency}
          onChange={({ currentTarget }) => change({ latency: currentTarget.value || "0" })}
        />
      </label>
      {names.map((name) => {
        const rule = rules.get(name);
        return (
          <div class="field check" key={name}>
            <input
              id={`fault ${name}`}
              type="checkbox"
              checked={rule !== undefined}
              onChange={({ currentTarget }) =>
                change(replaced(name, currentTarget.checked ? name : undefined))
              }
            />
            <label for={`fault ${name}`}>
              <code>{name}</code> {kinds[name]}
            </label>
            {rule !== undefined && (
              <input
                aria-label={`When ${name} applies`}
                placeholder="every call; or: every 2, first 3, 25%"
                value={rule.slice(name.length).trim()}
                onChange={({ currentTarget }) =>
                  change(replaced(name, `${name} ${currentTarget.value}`.trim()))
                }
              />
            )}
          </div>
        );
      })}
    </form>
  );
}

function kindOf(rule: string): string {
  return /^\S*/.exec(rule.trim().toLowerCase())?.[0] ?? "";
}
