import type { Body } from "../call/body.ts";
import type { Bytes, NodeBuffer, NodeReadable } from "../runtime/platform-types.ts";
import type { Drafting } from "./drafting.ts";

/** What `saveTo` tells of the file it wrote. */
export interface Saved {
  /** The path that was asked for; of a URL, its path. */
  readonly path: string;
  /** How many bytes were written. */
  readonly bytes: number;
}

/** A path as the caller gave it, and where that was when it was given. */
export interface Place {
  readonly asked: string;
  readonly absolute: string;
  /** Of one file of many. */
  readonly drafting?: Drafting | undefined;
}

/** The forms of a document that need more than a web-standard runtime: the files of a platform. */
export interface Files {
  /** Gives bytes as a `Buffer`, without copying them. */
  toBuffer(bytes: Bytes): NodeBuffer;
  toReadable(source: Body): NodeReadable;
  /** Reads a path; throws a `SaveError` if it is none. */
  locate(path: string | URL, drafting?: Drafting): Place;
  /** Checks, before anything is sent, that a document can be saved there; rejects with a `SaveError` if not. */
  check(place: Place): Promise<void>;
  /** Saves the document: the whole file or none. */
  save(source: Body, place: Place, attempts: number): Promise<Saved>;
}
