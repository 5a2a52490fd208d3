import { element } from "./element.ts";
import type { Invoice } from "./pdfs.ts";

const form = element<HTMLFormElement>("form");
const fields = [...form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input, textarea")];

const date = element<HTMLInputElement>("date");
date.valueAsDate = new Date();

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
  wrong[0]?.focus();
  return wrong.length > 0;
}

export function clearFieldErrors(): void {
  for (const field of fields) {
    field.removeAttribute("aria-invalid");
    errorOf(field).textContent = "";
  }
}

function errorOf({ name }: { readonly name: string }): HTMLElement {
  return element(`${name}-error`);
}
