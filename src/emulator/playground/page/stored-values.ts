/** Stores the values of each template as JSON text, so that they survive a reload. */
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
    // The storage is full, so a reload discards the values.
  }
}
