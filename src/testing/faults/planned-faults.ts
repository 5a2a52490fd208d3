import type { ScriptedFault } from "./scripted-fault.ts";

/** What is to go wrong, and for whom. */
interface Plan {
  readonly fault: ScriptedFault;
  /** The template whose calls it hits; all of them, where it names none. */
  readonly uid: string | undefined;
  left: number;
}

/** Faults that are to happen, each so often, in the order in which they were planned. */
export class PlannedFaults {
  #plans: Plan[] = [];

  add(fault: ScriptedFault, uid: string | undefined, times: number): void {
    this.#plans.push({ fault, uid, left: times });
  }

  /** Takes the fault that hits the next call for a template. */
  take(uid: string): ScriptedFault | undefined {
    const next = this.#plans.find((plan) => plan.left > 0 && (plan.uid === undefined || plan.uid === uid));
    if (next) next.left -= 1;
    return next?.fault;
  }

  clear(): void {
    this.#plans = [];
  }
}
