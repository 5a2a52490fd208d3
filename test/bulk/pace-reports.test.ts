import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { JobAttempts } from "../../src/bulk/job-attempts.ts";
import { type Answer, cutOffAfter, Service, saying, withLength } from "../support/service.ts";
import { jobsOf, small } from "./many.ts";

/** What the pace is told of each try of one job. */
async function newsOf(
  answer: Answer,
  options: object = {},
  use = (pdf: { bytes(): unknown }) => pdf.bytes(),
) {
  const service = await Service.start(answer);
  const news: unknown[] = [];
  let turns = 0;
  const tell = (how: string) => (ticket: number, _nowMs: number, retryAfterMs?: number) =>
    news.push([how, ticket, ...(retryAfterMs === undefined ? [] : [retryAfterMs])]);
  const pace = {
    passed: tell("passed"),
    unsent: tell("unsent"),
    refused: tell("refused"),
    overloaded: tell("overloaded"),
  };
  const crew = {
    ...{ client: service.client({ retry: { limit: 1 }, ...options }), use, retry: undefined, pace },
    ...{ signal: new AbortController().signal, wholeCount: 0, stop: () => {} },
    turns: { take: () => ++turns },
    again: async () => ++turns,
  };
  await new JobAttempts(crew as never, jobsOf(1)[0] as never, 0).run(true);
  return news;
}

describe("the pace is told of every try", () => {
  beforeEach(() => {
    vi.spyOn(Math, "random").mockReturnValue(0);
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("that passed", async () => {
    expect(await newsOf(withLength(small))).toEqual([["passed", 1]]);
  });

  it.each<[string, Answer]>([
    ["400", saying(400)],
    ["200 that is no PDF", saying(200, "<html>")],
  ])("that failed for reasons of its own: %s", async (_what, answer) => {
    expect(await newsOf(answer)).toEqual([["passed", 1]]);
  });

  it.each<[string, Answer]>([
    ["500", saying(500)],
    ["a document that is cut off", cutOffAfter(small, 500)],
  ])("that failed for reasons of its own, and may be made again: %s", async (_what, answer) => {
    expect(await newsOf(answer)).toEqual([
      ["passed", 1],
      ["passed", 2],
    ]);
  });

  it("that was refused, and how long the service wants to be left alone", async () => {
    expect(await newsOf(saying(429))).toEqual([
      ["refused", 1],
      ["refused", 2],
    ]);
    expect(await newsOf(saying(429, "", { "retry-after": "7" }), { retry: false })).toEqual([
      ["refused", 1, 7000],
    ]);
  });

  it.each<[string, Answer, object]>([
    ["503", saying(503), {}],
    ["no answer in time", () => {}, { timeouts: { firstByte: 50 } }],
    ["a broken connection", ({ socket }) => socket.resetAndDestroy(), {}],
  ])("that was too much for the service: %s", async (_what, answer, options) => {
    expect(await newsOf(answer, { ...options, retry: false })).toEqual([["overloaded", 1]]);
  });

  it("that `use` left unread for too long, which says nothing of the service", async () => {
    let closed: Promise<unknown> | undefined;
    const use = async (pdf: { bytes(): unknown }) => {
      const document = (await pdf) as { bytes(): unknown };
      await closed;
      return document.bytes();
    };
    const endless: Answer = (received) => {
      closed = received.closed;
      received.response.writeHead(200, { "content-length": 1_000_000 });
      received.response.write(small);
    };
    expect(await newsOf(endless, { timeouts: { unread: 50 }, retry: false }, use)).toEqual([["passed", 1]]);
  });

  it("that was not even sent", async () => {
    expect(await newsOf(withLength(small), { apiKey: () => "no\nkey" })).toEqual([["unsent", 1]]);
  });
});
