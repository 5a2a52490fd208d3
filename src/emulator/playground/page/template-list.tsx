import type { TemplateState } from "../template-states.ts";

interface TemplateListProps {
  readonly templates: readonly TemplateState[];
  readonly selected: string | undefined;
  readonly onSelect: (uid: string) => void;
}

/** Lists the templates of the folder with their files, page counts and errors. */
export function TemplateList({ templates, selected, onSelect }: TemplateListProps) {
  return (
    <nav class="templates" aria-label="Templates">
      <h2>Templates</h2>
      {templates.length === 0 && <p>The folder contains no templates.</p>}
      <ul>
        {templates.map(({ uid, file, pages, fault }) => (
          <li key={uid}>
            <button
              type="button"
              aria-current={uid === selected ? "true" : undefined}
              onClick={() => onSelect(uid)}
            >
              <strong>{uid}</strong>
              <small>
                {file}
                {pages === undefined ? "" : `, ${pages} ${pages === 1 ? "page" : "pages"}`}
              </small>
              {fault !== undefined && <small class="fault">{fault}</small>}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
