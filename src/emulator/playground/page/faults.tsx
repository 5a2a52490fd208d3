import { useEffect, useRef, useState } from "preact/hooks";
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
  /** The settings that were sent last, because the next change may follow before the emulator has responded. */
  const latest = useRef<Misbehaviour>({ faults, latency });
  useEffect(() => {
    latest.current = { faults, latency };
  }, [faults, latency]);
  const change = async (next: (last: Misbehaviour) => Partial<Misbehaviour>) => {
    const last = latest.current;
    const settings = { ...last, ...next(last) };
    latest.current = settings;
    await changeMisbehaviour(settings).catch((error: unknown) => {
      if (latest.current === settings) latest.current = last;
      throw error;
    });
  };
  const rules = new Map(faults.map((rule) => [kindOf(rule), rule]));
  const names = [...new Set([...Object.keys(kinds), ...rules.keys()])];
  const replace = (name: string, rule: string | undefined) =>
    change((last) => {
      const known = new Map(last.faults.map((each) => [kindOf(each), each]));
      const listed = names.map((each) => (each === name ? rule : known.get(each)));
      return { faults: listed.filter((each) => each !== undefined) };
    });
  return (
    <form class="faults" aria-label="Faults" onSubmit={(event) => event.preventDefault()}>
      <p>
        These rules apply to the calls of your application, and not to the documents that this page shows. If
        several rules apply, the first one wins.
      </p>
      <div class="field">
        <label for="latency">Latency, such as 500 or 200..800 (ms)</label>
        <Setting id="latency" value={latency} onChange={(text) => change(() => ({ latency: text || "0" }))} />
      </div>
      {names.map((name) => {
        const rule = rules.get(name);
        return (
          <div class="field check" key={name}>
            <input
              id={`fault ${name}`}
              type="checkbox"
              checked={rule !== undefined}
              onChange={({ currentTarget }) => {
                void replace(name, currentTarget.checked ? name : undefined).catch(() => {});
              }}
            />
            <label for={`fault ${name}`}>
              <code>{name}</code> {kinds[name]}
            </label>
            {rule !== undefined && (
              <Setting
                id={`rule ${name}`}
                label={`When ${name} applies`}
                placeholder="every call; or: every 2, first 3, 25%"
                value={rule.trim().slice(name.length).trim()}
                onChange={(text) => replace(name, `${name} ${text}`.trim())}
              />
            )}
          </div>
        );
      })}
    </form>
  );
}

interface SettingProps {
  readonly id: string;
  readonly label?: string;
  readonly placeholder?: string;
  /** The value that applies now. */
  readonly value: string;
  /** Rejects if the text is invalid. */
  readonly onChange: (text: string) => Promise<void>;
}

/** An input that keeps what the user has typed until the emulator accepts it. */
function Setting({ id, label, placeholder, value, onChange }: SettingProps) {
  const [typed, setTyped] = useState<string>();
  const [fault, setFault] = useState<string>();
  const apply = (text: string) =>
    onChange(text).then(
      () => {
        setTyped((last) => (last === text ? undefined : last));
        setFault(undefined);
      },
      (error: Error) => setFault(`${error.message} The last rule still applies.`),
    );
  return (
    <>
      <input
        {...{ id, placeholder, "aria-label": label }}
        value={typed ?? value}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? undefined : `${id} fault`}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onChange={({ currentTarget }) => void apply(currentTarget.value)}
      />
      {fault !== undefined && (
        <small class="fault" id={`${id} fault`} role="alert">
          {fault}
        </small>
      )}
    </>
  );
}

function kindOf(rule: string): string {
  return /^\S*/.exec(rule.trim().toLowerCase())?.[0] ?? "";
}
