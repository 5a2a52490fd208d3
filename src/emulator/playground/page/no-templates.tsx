import { useState } from "preact/hooks";
import { createFirstTemplate } from "./server.ts";

interface NoTemplatesProps {
  /** The path of the template folder. */
  readonly folder: string;
  /** The reason why the folder cannot be read. */
  readonly fault: string | undefined;
}

/** Is shown while there is no template, and can create the first one. */
export function NoTemplates({ folder, fault }: NoTemplatesProps) {
  const [creation, setCreation] = useState<"possible" | "under way" | { readonly fault: string }>("possible");
  const create = () => {
    setCreation("under way");
    // The emulator reports the new file as it reports every other one.
    createFirstTemplate().then(
      () => setCreation("possible"),
      (error: Error) => setCreation({ fault: error.message }),
    );
  };
  return (
    <section class="first" aria-label="First template">
      <h2>{fault === undefined ? "This folder has no templates yet" : "The folder cannot be read"}</h2>
      <p>{fault ?? <code>{folder}</code>}</p>
      <p>
        A template is a file: <code>invoice.json</code> with a pdfmake document definition, or{" "}
        <code>invoice.mjs</code> with a function that returns one. This page shows new files at once.
      </p>
      <button type="button" class="primary" disabled={creation === "under way"} onClick={create}>
        Create invoice.json
      </button>
      <p>
        <small>
          It is an invoice with a schema and a sample, to change in your editor. Existing files are never
          overwritten.
        </small>
      </p>
      {typeof creation === "object" && (
        <p class="problem" role="alert">
          {creation.fault}
        </p>
      )}
    </section>
  );
}
