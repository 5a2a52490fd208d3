import { expect, it, vi } from "vitest";
import type { Call, CallListener } from "../../src/call/call.ts";
import type { NodeOutputs } from "../../src/document/node-outputs.ts";
import { PendingPdf } from "../../src/document/pending-pdf.ts";

/** A pending result, and what it tells its call. */
function pendingOf({ start = () => {} }: Partial<Call> = {}) {
  let listener: CallListener | undefined;
  const reportTo = (given: CallListener) => {
    listener = given;
  };
  const pending = new PendingPdf({ start, reportTo } as Call, {} as NodeOutputs);
  return { pending, isReplaceable: () => listener?.isReplaceable };
}

it.each<[string, boolean, (pending: PendingPdf) => unknown]>([
  ["only buffer()", true, (pending) => pending.buffer()],
  ["only arrayBuffer()", true, (pending) => pending.arrayBuffer()],
  ["stream() and bytes()", false, (pending) => [pending.stream(), pending.bytes()]],
  ["`await` and bytes()", false, (pending) => [pending.then(), pending.bytes()]],
  ["bytes() and `await`", false, (pending) => [pending.bytes(), pending.then()]],
])("If the caller uses %s, a truncated document is replaced: %s", (_, expected, read) => {
  const { pending, isReplaceable } = pendingOf();
  read(pending);
  expect(isReplaceable()).toBe(expected);
});

it("A pending result starts its call in the next microtask", async () => {
  const start = vi.fn();
  pendingOf({ start });
  await undefined;
  expect(start).toHaveBeenCalledOnce();
});
