import { expect, it, vi } from "vitest";
import type { Call } from "../../src/call/call.ts";
import type { NodeOutputs } from "../../src/document/node-outputs.ts";
import { PendingPdf } from "../../src/document/pending-pdf.ts";

const pendingOf = (call: Partial<Call>) => new PendingPdf(call as Call, {} as NodeOutputs);

it.each<[string, boolean, (pending: PendingPdf) => unknown]>([
  ["only buffer()", true, (pending) => pending.buffer()],
  ["only arrayBuffer()", true, (pending) => pending.arrayBuffer()],
  ["stream() and bytes()", false, (pending) => [pending.stream(), pending.bytes()]],
  ["`await` and bytes()", false, (pending) => [pending.then(), pending.bytes()]],
])("If the caller uses %s, the call's `isReplaceable` is %s", (_, isReplaceable, read) => {
  const call: Partial<Call> = { start: () => {} };
  read(pendingOf(call));
  expect(call.isReplaceable).toBe(isReplaceable);
});

it("A pending result starts its call in the next microtask", async () => {
  const start = vi.fn();
  pendingOf({ start });
  await undefined;
  expect(start).toHaveBeenCalledOnce();
});
