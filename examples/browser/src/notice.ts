import { element } from "./element.ts";
import { moveFocus } from "./focus.ts";

const notice = element("notice");

/**
 * Shows an error below the form, and announces it to screen readers.
 *
 * @param options - `action`: the button to offer; `takesFocus`: whether to move the focus to it
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
    button.textContent = "Reload the page";
    button.addEventListener("click", () => location.reload());
    notice.append(button);
  }
  if (options.takesFocus) moveFocus(notice);
}

export function clearNotice(): void {
  notice.replaceChildren();
}
