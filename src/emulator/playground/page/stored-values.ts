/**
 * Stores the values of each template as text, so that they survive a reload.
 *
 * The session belongs to one tab, so that two tabs do not overwrite each other. A new tab begins with the values that were edited
 * last. The folder is part of the key, because another project may use the same port.
 */
export class StoredValues {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @returns `undefined` if the user has not changed the sample */
  read(uid: string): string | undefined {
    const own = sessionStorage.getItem(this.#keyOf(uid));
    return (
      (own === null ? localStorage.getItem(this.#keyOf(uid)) : (JSON.parse(own) as string | null)) ??
      undefined
    );
  }

  /** @param text - `undefined` if the values are those of the sample */
  write(uid: string, text: string | undefined): void {
    const key = this.#keyOf(uid);
    try {
      sessionStorage.setItem(key, JSON.stringify(text ?? null));
      if (text === undefined) localStorage.removeItem(key);
      else localStorage.setItem(key, text);
    } catch {
      // The storage is full, so a reload discards the values.
    }
  }

  #keyOf(uid: string): string {
    return `template-pdf values of ${uid} in ${this.#folder}`;
  }
}
