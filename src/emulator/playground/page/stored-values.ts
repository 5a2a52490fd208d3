/** The values of each template as JSON text, which survive a reload. */
const keyOf = (uid: string) => `template-pdf values of ${uid}`;

export function readStored(uid: string): string | undefined {
  return localStorage.getItem(keyOf(uid)) ?? undefined;
}

/** @param text - `undefined` forgets them */
export function store(uid: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(keyOf(uid));
    else localStorage.setItem(keyOf(uid), text);
  } catch {
    // There is no room for them: they are lost with the page.
  }
}
