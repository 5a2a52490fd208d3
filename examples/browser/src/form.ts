import { element } from "./element.ts";
import { moveFocus } from "./focus.ts";
import type { Invoice } from "./pdfs.ts";

const form = element<HTMLFormElement>("form");
const fields = [...form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input, textarea")];

const date = element<HTMLInputElement>("date");
date.value = dayOf(new Date());

/** What was filled in, as it stands there: the server judges it. */
export function readInvoice(): Invoice {
  const values = Object.fromEntries(fields.map(({ name, value }) => [name, value]));
  return values as Invoice & Record<string, string>;
}

/**
 * Tells beside the fields what is wrong with them, and goes to the first of these.
 *
 * @param errors - what is wrong, by the names of fields
 * @returns whether there was any such field
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

/** The day on this person's calendar, as a field of a date takes it; `toISOString` and `valueAsDate` have that of UTC. */
function dayOf(time: Date): string {
  const month = String(time.getMonth() + 1).padStart(2, "0");
  return `${time.getFullYear()}-${month}-${String(time.getDate()).padStart(2, "0")}`;
}

function errorOf({ name }: { readonly name: string }): HTMLElement {
  return element(`${name}-error`);
}
