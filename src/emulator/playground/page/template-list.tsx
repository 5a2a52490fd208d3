import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { TemplateState } from "../template-states.ts";

interface TemplateListProps {
  readonly templates: readonly TemplateState[];
  readonly selected: string;
  readonly onSelect: (uid: string) => void;
}

/** More templates than a reader finds at a glance. */
const manyTemplates = 8;

/** Lists the templates of the folder with their files, page counts and errors. */
export function TemplateList({ templates, selected, onSelect }: TemplateListProps) {
  const [search, setSearch] = useState("");
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [selected]);
  const found = templates.filter(({ uid }) => uid.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <nav class="templates" aria-label="Templates">
      <h2>Templates</h2>
      {templates.length === 0 && <p>None yet</p>}
      {templates.length > manyTemplates && (
        <input
          type="search"
          aria-label="Search templates"
          placeholder={`Search ${templates.length} templates`}
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      {templates.length > 0 && found.length === 0 && <p>No template has this name.</p>}
      <ul ref={list}>
        {found.map((template) => (
          <li key={template.uid}>
            <button
              type="button"
              aria-current={template.uid === selected ? "true" : undefined}
              onClick={() => onSelect(template.uid)}
            >
              <strong>{template.uid}</strong>
              <small>
                {template.file}
                {summaryOf(template)}
              </small>
              {template.kind === "broken" && <small class="fault">{template.fault}</small>}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function summaryOf({ kind, pages }: TemplateState): string {
  if (kind === "waiting") return ", waiting";
  if (kind === "rendering") return ", rendering…";
  return kind === "broken" || pages === undefined ? "" : `, ${pages} ${pages === 1 ? "page" : "pages"}`;
}
