/** Moves the focus to what has come; not away from somebody who has gone on to a field meanwhile. */
export function moveFocus(to: HTMLElement): void {
  const { activeElement } = document;
  const isWaiting = activeElement === null || activeElement.matches("#make, #cancel, body");
  if (isWaiting) to.focus();
}
