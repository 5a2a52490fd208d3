import { expect, it, vi } from "vitest";
import type { ClientOptions } from "../../src/options/client-options.ts";
import { headOf } from "../support/facts.ts";
import { read, Scene, type Step } from "../support/scripted-call.ts";

const timeouts = {
  connect: 100,
  firstByte: 1_000,
  stall: 300,
  unread: 2_000,
  total: Number.POSITIVE_INFINITY,
};
const ok = headOf(200);
const known = headOf(200, { "content-length": "100" });
const full = `%PDF-${"x".repeat(65_531)}`;
const raw = { verify: false };
const cancel: Step = ({ call }) => call.fail(new Error("cancelled"));
/** Reads a stream that takes no more bytes. Nothing is read from it in the first 500 ms, or ever. */
const stream =
  (isLeft: boolean): Step =>
  (scene) =>
    scene.do(
      read({ isStream: true, write: () => false, isUntouched: () => isLeft || scene.elapsedMs < 500 }),
    );
/** Takes this step as soon as a document begins to arrive. */
const onDocument =
  (step: Step): Step =>
  (scene) => {
    const { onSettled } = scene.call;
    scene.call.onSettled = (outcome) => {
      onSettled(outcome);
      if (outcome?.response) scene.do(step);
    };
  };

it.each<[RegExp, Step[], ClientOptions?]>([
  // The connection and the response.
  [/^safe: 100 Could not reach .*`timeouts.connect`/, [0]],
  [/^ambiguous: 1000 Got no response .*`timeouts.firstByte`/, ["sent"]],
  [/^ambiguous: 1050 Got no response .*`timeouts.firstByte`/, [0, 50, "sent"]],
  [/^safe: 50 Could not reach .* \(reset\)/, [0, 50, "break"]],
  [/^ambiguous: 0 Got no response .* \(reset\)/, ["sent", "break"]],
  [/^0 cancelled$/, [cancel]],
  [/^0 cancelled$/, ["sent", cancel]],
  // Errors.
  [/^ambiguous: 300 Got 503 .*Try again later/, ["sent", headOf(503), 100, "busy"]],
  [
    /^ambiguous: 10000 Got 503 /,
    ["sent", headOf(503), "busy"],
    { timeouts: { stall: Number.POSITIVE_INFINITY } },
  ],
  [/^never: 0 Got 199 /, ["sent", headOf(199), "%PDF-%%EOF", "end"]],
  [/^never: 0 Got 300 /, ["sent", headOf(300), "%PDF-%%EOF", "end"]],
  [/^ambiguous: 300 Got 500 /, ["sent", headOf(500), full]],
  [/^ambiguous: 0 Got 500 /, ["sent", headOf(500), full, "x"]],
  // Documents.
  [/^ambiguous: 300 .* stalled after 2 bytes/, ["sent", ok, "%P"]],
  [
    /^2000 .* was not read within 2000 ms \(`timeouts.unread`\). Read it sooner, or raise the limit.$/,
    ["sent", ok, "%P", "DF-", 100, "x"],
  ],
  [/^ambiguous: 900 .* stalled after 7 bytes/, ["sent", ok, "%PDF-", 200, read(), 200, "x", 200, "x"]],
  [/^ambiguous: 300 .*`timeouts.stall`/, ["sent", onDocument(read()), ok, "%PDF-"]],
  [/^0 cancelled$/, ["sent", onDocument(cancel), ok, "%PDF-"]],
  [/^ambiguous: 1000 .*`timeouts.firstByte`/, ["sent", ok], raw],
  [/^ambiguous: 1000 .*`timeouts.firstByte`/, ["sent", ok, read()], raw],
  [/^2100 .*`timeouts.unread`/, ["sent", ok, 100, "x", 100, "x"], raw],
  [/^ambiguous: 400 .*`timeouts.stall`/, ["sent", ok, read(), 100, "x"], raw],
  [/^whole$/, ["sent", ok, read(), "x", "end"], raw],
  [/^whole$/, ["sent", ok, "%PDF-%%EOF", "end", 3_000, read()]],
  [/^ambiguous: 0 .* was truncated after 10 of 100 bytes. Generate/, ["sent", known, "%PDF-%%EOF", "end"]],
  [/^ambiguous: 0 .* was truncated after 5 bytes, without/, ["sent", ok, "%PDF-", "end"]],
  [/^ambiguous: 0 .* was truncated after 5 bytes \(reset\)/, ["sent", ok, "%PDF-", "break"]],
  [/^pause: 2100 .*`timeouts.unread`/, ["sent", ok, full, 100, stream(true)]],
  [/^pause$/, ["sent", ok, full, 100, stream(false)]],
  [/^pause: resume: ambiguous: 700 .*`timeouts.stall`/, ["sent", ok, full, 400, read()]],
])("An attempt ends on time and reports whether a retry is safe: %s", async (expected, steps, options) => {
  const scene: Scene = new Scene({ ...options, timeouts: { ...timeouts, ...options?.timeouts } }, undefined, {
    attempts: 0,
    lastError: undefined,
    decide: ({ repeat }) => (scene.log.push(repeat), { why: "" }),
    onOutcome: () => {},
  });
  const log = await scene.play(...steps, 15_000);
  expect(log.filter((event) => !["open", "abort", "document"].includes(`${event}`)).join(": ")).toMatch(
    expected,
  );
  expect(vi.getTimerCount()).toBe(0);
});
