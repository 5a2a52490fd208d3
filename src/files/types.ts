import type { Source } from "../body.ts";
import type { Bytes, NodeBuffer, NodeReadable } from "../platform-types.ts";

/** What `saveTo` tells of the file it wrote. */
export interface Saved {
  /** The path that was asked for; of a URL, its path. */
  readonly path: string;
  /** How many bytes were written. */
  readonly bytes: number;
}

/** The forms of a document that need more than a web-standard runtime: what the modules behind `#files` export. */
export interface Files {
  /** Gives bytes as a `Buffer`, without copying them. */
  toBuffer(bytes: Bytes): NodeBuffer;
  toReadable(source: Source): NodeReadable;
  /** Checks, before anything is sent, that a document can be saved there; throws a `SaveError` if not. */
  check(path: string | URL): Promise<void>;
  /** Saves the document: the whole file or none. */
  save(source: Source, path: string | URL, attempts: number): Promise<Saved>;
}
