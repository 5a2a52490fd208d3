/** Moves the focus to an element, unless the user has moved to a field. */
export function moveFocus(to: HTMLElement): void {
  const { activeElement } = document;
  const isWaiting = activeElement === null || activeElement.matches("#make, #cancel, body");
  if (isWaiting) to.focus();
}
