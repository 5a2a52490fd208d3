import { element } from "./element.ts";
import { moveFocus } from "./focus.ts";
import type { Invoice } from "./pdfs.ts";

const form = element<HTMLFormElement>("form");
const fields = [...form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input, textarea")];

const date = element<HTMLInputElement>("date");
date.value = dayOf(new Date());

/** Returns the fields without validation, which is up to the server. */
export function readInvoice(): Invoice {
  const values = Object.fromEntries(fields.map(({ name, value }) => [name, value]));
  return values as Invoice & Record<string, string>;
}

/**
 * Shows messages next to the invalid fields, and focuses the first one.
 *
 * @param errors - messages by field name
 * @returns whether a field is invalid
 */
export function showFieldErrors(errors: ReadonlyMap<string, string>): boolean {
  const wrong = fields.filter(({ name }) => errors.has(name));
  for (const field of wrong) {
    field.setAttribute("aria-invalid", "true");
    errorOf(field).textContent = errors.get(field.name) ?? "";
  }
  if (wrong[0]) moveFocus(wrong[0]);
  return wrong.length > 0;
}

export function clearFieldErrors(): void {
  for (const field of fields) {
    field.removeAttribute("aria-invalid");
    errorOf(field).textContent = "";
  }
}

/** Returns the local date for a date field. `toISOString` and `valueAsDate` use UTC. */
function dayOf(time: Date): string {
  const month = String(time.getMonth() + 1).padStart(2, "0");
  return `${time.getFullYear()}-${month}-${String(time.getDate()).padStart(2, "0")}`;
}

function errorOf({ name }: { readonly name: string }): HTMLElement {
  return element(`${name}-error`);
}
