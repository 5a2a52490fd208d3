import { element } from "./element.ts";
import { moveFocus } from "./focus.ts";

const notice = element("notice");

/**
 * Tells what went wrong: below the form, and to screen readers at once.
 *
 * @param options - `action`: the button to offer; `takesFocus`: whether there is no better place to go to
 */
export function showNotice(
  text: string,
  options: { readonly action?: "reload" | undefined; readonly takesFocus: boolean },
): void {
  const line = document.createElement("p");
  line.textContent = text;
  notice.replaceChildren(line);
  if (options.action === "reload") {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Load the page again";
    button.addEventListener("click", () => location.reload());
    notice.append(button);
  }
  if (options.takesFocus) moveFocus(notice);
}

export function clearNotice(): void {
  notice.replaceChildren();
}
