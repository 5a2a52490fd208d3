import type { ComponentChildren } from "preact";
import { RemoveButton } from "./remove-button.tsx";

interface FormTableProps {
  readonly columns: readonly string[];
  /** The number of items. */
  readonly count: number;
  /** The name of the list. */
  readonly label: string;
  readonly cell: (index: number, column: string) => ComponentChildren;
  readonly onRemove: (index: number) => void;
}

/** Edits a list of items with few fields, one row for each: as separate groups, 30 items would fill ten screens. */
export function FormTable({ columns, count, label, cell, onRemove }: FormTableProps) {
  return (
    <div class="list">
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" key={column}>
                {column}
              </th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: count }, (_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an item of JSON has nothing else.
            <tr key={index}>
              {columns.map((column) => (
                <td key={column}>{cell(index, column)}</td>
              ))}
              <td>
                <RemoveButton label={`${label} ${index + 1}`} onClick={() => onRemove(index)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
