import { repeatAfter } from "../../src/call/retry-policy.ts";

/** The statuses after which a call is tried again. */
export function passingStatuses(): number[] {
  const statuses = Array.from({ length: 500 }, (_, index) => index + 100);
  return statuses.filter((status) => repeatAfter(status) !== "never");
}
