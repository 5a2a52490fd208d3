import { TemplatePdf } from "template-pdf";
import { bulkQueue, QueueError } from "template-pdf/queue";
import { describe, expect, it, onTestFinished } from "vitest";
import { SharedTurns } from "../../src/runtime/shared-turns.ts";

const connection = "redis://127.0.0.1:9";
const sink = { put: async () => {} };

describe("a queue", () => {
  it.each([
    [{}, /needs a `name`/],
    [{ name: "a:b" }, /`name` to be a non-empty string without a colon/],
    [{ name: "a", nmae: "b" }, /Unknown queue option `nmae`/],
    [{ name: "a", keepFailedFor: 0 }, /`keepFailedFor` to be a number of milliseconds above 0/],
    [{ name: "a", prefix: 1 }, /`prefix` to be a non-empty string/],
  ])("rejects the options %j with a message that matches %s", (options, message) => {
    expect(() => bulkQueue({ connection, ...options } as never)).toThrow(message);
  });

  it.each([
    [undefined, /`connection` is required/],
    ["https://:pass-word@host", /not a Redis URL/],
  ])("rejects an invalid connection without revealing its password: %s", async (wrong, message) => {
    const runs = bulkQueue({ connection: wrong as never, name: "a" });
    const error = await runs.runs().catch((caught: Error) => caught);
    expect(String(error)).toMatch(message);
    expect(String(error)).not.toContain("pass-word");
  });

  it("rejects each call with a QueueError if Redis cannot be reached", async () => {
    const runs = bulkQueue({ connection, name: "a" });
    for (const use of [runs.add("r", []), runs.failures("r"), runs.runs()]) {
      const error = await use.catch((caught) => caught);
      expect(QueueError.is(error)).toBe(true);
      expect(error.message).toMatch(
        /^Redis at 127\.0\.0\.1:9 cannot be reached: ECONNREFUSED\. .* Redis is running\.$/,
      );
    }
  });
});

describe("a worker", () => {
  const client = new TemplatePdf({ baseUrl: "http://127.0.0.1:9", apiKey: "k" });
  it.each([
    [{ sink }, /`client` is required/],
    [{ client }, /`sink` is required/],
    [{ client, sink, concurrency: "auto" }, /`concurrency` to be a whole number/],
    [{ client, sink, giveUpAfter: -1 }, /`giveUpAfter` to be a number of milliseconds/],
    [{ client, sink, retry: { limit: -1 } }, /`retry.limit`/],
    [{ client, sink, jobs: [] }, /Unknown worker option `jobs`/],
  ])("rejects invalid options before it starts (row %#)", (options, message) => {
    const runs = bulkQueue({ connection, name: "a" });
    expect(() => runs.work(options as never)).toThrow(message);
  });

  it("rejects its `done` and `close()` promises if Redis cannot be reached", async () => {
    const worker = bulkQueue({ connection, name: "a" }).work({ client, sink });
    await expect(worker.done).rejects.toThrow("cannot be reached");
    await expect(worker.close()).rejects.toThrow("cannot be reached");
    onTestFinished(() => client.close());
  });
});

describe("SharedTurns", () => {
  it("combines all waiting calls into one operation", async () => {
    const ends: ((error?: Error) => void)[] = [];
    const turns = new SharedTurns(
      () => new Promise((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve()))),
    );
    const first = turns.next();
    const [second, third] = [turns.next(), turns.next()];
    expect(ends.length).toBe(1);
    ends[0]?.(new Error("the disk is full"));
    await expect(first).rejects.toThrow("the disk is full");
    await Promise.resolve();
    expect(ends.length).toBe(2);
    ends[1]?.();
    await Promise.all([second, third]);
    expect(ends.length).toBe(2);
  });
});
