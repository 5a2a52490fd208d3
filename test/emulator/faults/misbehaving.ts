import { getEventListeners } from "node:events";
import { vi } from "vitest";
import { Misbehaviour, type MisbehaviourSettings } from "../../../src/emulator/misbehaviour.ts";
import { createEndpoint, type Produce } from "../../../src/service/endpoint.ts";
import { requireApiKey } from "../../../src/service/require-api-key.ts";
import { type Call, json, KEY, PDF, request } from "../../service/endpoint-call.ts";

export type MisbehaviourOptions = MisbehaviourSettings;

/** Creates an endpoint with faults and latency, and returns it with everything that tests inspect. */
export function misbehaving(options: MisbehaviourOptions = {}, make: Produce = () => ({ bytes: PDF })) {
  const closing = new AbortController();
  const produce = vi.fn(make);
  const onError = vi.fn();
  const endpoint = createEndpoint({
    authorize: requireApiKey([KEY]),
    produce: new Misbehaviour(options, closing.signal).wrap(produce),
    onError,
  });
  const call = (headers: Record<string, string> = {}, rest: Omit<Call, "headers"> = {}) =>
    endpoint(request({ ...rest, headers: { ...json, ...headers } }));
  const listeners = () => getEventListeners(closing.signal, "abort").length;
  return { endpoint, call, produce, onError, closing, listeners };
}

/** The `detail` of an error response. */
export async function detailOf(response: Response): Promise<string> {
  return ((await response.json()) as { detail: string }).detail;
}
