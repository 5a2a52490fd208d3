import { describe, expect, it } from "vitest";
import { Pace } from "../../src/bulk/pace/pace.ts";

/** Sends as soon as allowed until then; each is answered well at once, but for those that are not sent after all. */
function sendUntil(pace: Pace, endMs: number, startMs: number, isUnsent: (index: number) => boolean): number {
  let [index, sent] = [0, 0];
  for (let nowMs = startMs + pace.waitMs(startMs); nowMs < endMs; nowMs += pace.waitMs(nowMs)) {
    const ticket = pace.sent(nowMs);
    const isSent = !isUnsent(index++);
    pace[isSent ? "passed" : "unsent"](ticket, nowMs);
    sent += Number(isSent);
    if (index > 100_000) throw new Error("It never waits.");
  }
  return sent;
}

describe("a request that was not sent after all", () => {
  it.each([8, "auto"] as const)("gives its turn to the next, where it was the last: %s", (concurrency) => {
    const pace = new Pace({ concurrency, perSecond: 10 });
    pace.sent(0);
    for (let job = 0; job < 100; job++) {
      expect(pace.waitMs(100)).toBe(0);
      pace.unsent(pace.sent(100));
    }
    pace.sent(100);
    expect(pace.waitMs(100)).toBe(100);
  });

  it("gives no turn where another was sent since", () => {
    const pace = new Pace({ concurrency: 8, perSecond: 10 });
    const first = pace.sent(0);
    pace.sent(100);
    pace.unsent(first);
    expect(pace.waitMs(150)).toBe(50);
  });

  it.each([8, "auto"] as const)("cuts no pause short: %s", (concurrency) => {
    const pace = new Pace({ concurrency, perSecond: 10 });
    const [refused, unsent] = [pace.sent(0), pace.sent(100)];
    pace.refused(refused, 150, 3000);
    pace.unsent(unsent);
    expect(pace.waitMs(160)).toBe(2990);
  });

  it("cuts no hold short that the run keeps after a refusal", () => {
    const pace = new Pace({ concurrency: "auto" });
    const [refused, unsent] = [pace.sent(0), pace.sent(40)];
    pace.refused(refused, 41, undefined);
    const holdMs = pace.waitMs(41);
    expect(holdMs).toBeGreaterThanOrEqual(100);
    pace.unsent(unsent);
    expect(pace.waitMs(41)).toBe(holdMs);
  });

  it("leaves the rate of a run that knows no limit yet as it was", () => {
    const pace = new Pace({ concurrency: "auto" });
    sendUntil(pace, 1000, 0, () => false);
    const next = pace.waitMs(1000);
    for (let job = 0; job < 1000; job++) pace.unsent(pace.sent(1000 + next));
    pace.sent(1000 + next);
    const spacing = pace.waitMs(1000 + next);
    expect(spacing).toBeGreaterThan(3);
  });

  it.each([
    ["none", () => false],
    ["three of four", (index: number) => index % 4 > 0],
  ])("is not among those that tell what the service allows: %s", (_which, isUnsent) => {
    const pace = new Pace({ concurrency: "auto" });
    const sent = sendUntil(pace, 1000, 0, isUnsent);
    // Others are sent meanwhile, so that none of these gives its turn back.
    const nowMs = 1000 + pace.waitMs(1000);
    const tickets = Array.from({ length: 50 }, () => pace.sent(nowMs));
    const refused = pace.sent(nowMs);
    for (const ticket of tickets) pace.unsent(ticket);
    pace.refused(refused, nowMs + 1, undefined);
    expect(pace.perSecond).toBeGreaterThan(0.85 * sent);
    expect(pace.perSecond).toBeLessThanOrEqual(sent + 1);
  });

  it("is not under way: the slots fall and rise as without it", () => {
    const pace = new Pace({ concurrency: "auto" });
    for (let job = 0; job < 100; job++) pace.unsent(pace.sent(job));
    const underWay = [1, 2, 3].map(() => pace.sent(100));
    for (const ticket of underWay) pace.passed(ticket, 200);
    // Three of four slots were in use: no reason for more.
    expect(pace.slots).toBe(4);
  });
});
