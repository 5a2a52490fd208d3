import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DocumentQueue } from "../../../src/emulator/playground/page/document-queue.ts";
import {
  type DocumentFacts,
  documentStateOf,
  type Input,
} from "../../../src/emulator/playground/page/document-state.ts";
import type { PdfDocument, Refusal } from "../../../src/emulator/playground/page/server.ts";

const inputOf = (json: string, uid = "invoice"): Input => ({ uid, json, key: json });
const documentOf = (pages: number): PdfDocument => ({
  ...{ bytes: new Uint8Array(), pages, durationMs: 1 },
  ...{ requestId: undefined, warning: undefined },
});
const refusal: Refusal = { status: 422, detail: "no", errors: [], requestId: undefined };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A queue whose documents take a time. `log` lists what begins, ends and is aborted. */
function queueOf(documentMs: number) {
  const log: string[] = [];
  let facts: DocumentFacts = {};
  const render = ({ json }: Input, _id: number, signal: AbortSignal) =>
    new Promise<PdfDocument>((resolve, reject) => {
      log.push(`begins ${json}`);
      const timer = setTimeout(() => {
        log.push(`ends ${json}`);
        resolve(documentOf(1));
      }, documentMs);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        log.push(`aborts ${json}`);
        reject(signal.reason);
      });
    });
  const queue = new DocumentQueue(render, (_uid, changed) => {
    facts = { ...facts, ...changed };
  });
  return { queue, log, facts: () => facts };
}

describe("the queue of documents in the playground", () => {
  it("renders the first keystroke at once, and then the latest one", async () => {
    const { queue, log, facts } = queueOf(100);
    queue.want(inputOf("a"), true);
    await vi.advanceTimersByTimeAsync(1);
    expect(log).toEqual(["begins a"]);
    for (const json of ["b", "c", "d"]) {
      queue.want(inputOf(json), true);
      await vi.advanceTimersByTimeAsync(20);
    }
    await vi.advanceTimersByTimeAsync(200);
    expect(log).toEqual(["begins a", "ends a", "begins d", "ends d"]);
    expect(facts().document?.key).toBe("d");
  });

  it.each([
    [60, 30],
    [400, 200],
    [5_000, 300],
  ])("after a document of %i ms, waits %i ms for another keystroke", async (documentMs, delayMs) => {
    const { queue, log } = queueOf(documentMs);
    queue.want(inputOf("a"), false);
    await vi.advanceTimersByTimeAsync(documentMs + 1);
    queue.want(inputOf("b"), true);
    await vi.advanceTimersByTimeAsync(delayMs - 1);
    expect(log).toEqual(["begins a", "ends a"]);
    await vi.advanceTimersByTimeAsync(2);
    expect(log).toEqual(["begins a", "ends a", "begins b"]);
  });

  it("aborts a slow document when the user has changed its values", async () => {
    const { queue, log } = queueOf(5_000);
    queue.want(inputOf("a"), false);
    await vi.advanceTimersByTimeAsync(100);
    queue.want(inputOf("b"), true);
    await vi.advanceTimersByTimeAsync(500);
    expect(log).toEqual(["begins a", "aborts a", "begins b"]);
  });

  it("renders saved files and other templates without a delay", async () => {
    const { queue, log } = queueOf(1_000);
    queue.want(inputOf("a"), false);
    await vi.advanceTimersByTimeAsync(1_500);
    queue.want(inputOf("a2"), false);
    await vi.advanceTimersByTimeAsync(1);
    queue.want(inputOf("x", "letter"), false);
    await vi.advanceTimersByTimeAsync(1);
    expect(log).toEqual(["begins a", "ends a", "begins a2", "aborts a2", "begins x"]);
  });
});

describe("the state of a document in the playground", () => {
  const document = documentOf(1);
  it.each<[expected: string, facts: DocumentFacts]>([
    ["loading typing", {}],
    ["loading queue", { request: { key: "now", id: 1, sinceMs: 0, hasBegun: false } }],
    ["loading rendering", { request: { key: "now", id: 1, sinceMs: 0, hasBegun: true } }],
    ["ready", { document: { key: "now", document } }],
    ["stale typing", { document: { key: "before", document } }],
    ["refused", { document: { key: "before", document }, refusal: { key: "now", refusal } }],
    ["stale typing", { document: { key: "older", document }, refusal: { key: "before", refusal } }],
  ])("is %s", (expected, facts) => {
    const state = documentStateOf(facts, inputOf("now"));
    expect("pending" in state ? `${state.kind} ${state.pending.why}` : state.kind).toBe(expected);
  });

  it("is stale, and says why, if the values are invalid", () => {
    const invalid = { why: "invalid", detail: "Line 1" } as const;
    const state = documentStateOf({ document: { key: "now", document } }, invalid);
    expect(state).toMatchObject({ kind: "stale", pending: invalid });
  });
});
