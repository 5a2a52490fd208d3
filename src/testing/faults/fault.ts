/** Something that goes wrong on purpose, made by one of `faults`. */
export interface Fault {
  /** So that nothing else that has a name is taken for a fault. */
  readonly kind: "fault";
  /** What happens, in the words of somebody who watches it. */
  readonly name: string;
}
