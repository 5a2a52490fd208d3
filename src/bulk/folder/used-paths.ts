import { KeyTable } from "../key-table/key-table.ts";
import { hashJob, newRecord } from "../key-table/salted-hash.ts";
import { foldedPath } from "./folded-path.ts";

/** The paths that the jobs of a run have, by their hashes: a run may have a million of them. */
export class UsedPaths {
  readonly #table = new KeyTable();
  readonly #record = newRecord();
  readonly #platform: string;

  /** @param platform - as `process.platform` tells it: on some, `A.pdf` and `a.pdf` are one file */
  constructor(platform: string) {
    this.#platform = platform;
  }

  /** Claims a path for a job; gives the index of another that has it already. */
  claim(path: string, index: number): number | undefined {
    hashJob("", foldedPath(path, this.#platform), "", this.#record);
    const known = this.#table.find(this.#record);
    if (known !== -1) return this.#table.indexAt(known);
    this.#table.setIndex(this.#table.add(this.#record), index);
    return undefined;
  }
}
