/** Something that goes wrong on purpose, made by one of `faults`. */
export interface Fault {
  /** What happens, in the words of somebody who watches it. */
  readonly name: string;
}
