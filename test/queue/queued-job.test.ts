import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestOf, JobCodec, type QueuedContent, type SealKey } from "../../src/queue/queued-job.ts";
import { property } from "../support/fuzz.ts";

const sealKey = new Uint8Array(32).fill(7);
const content = { job: { template: "payslip", values: { name: "Ann" } }, index: 3, key: "E-1" };
const values = fc.dictionary(fc.string(), fc.jsonValue());

describe("a job in the queue", () => {
  property("is restored unchanged, whether readable or sealed", () =>
    fc.asyncProperty(values, fc.constantFrom<SealKey | undefined>(undefined, sealKey), async (some, key) => {
      const codec = new JobCodec(key);
      const job = { template: "t", values: some };
      const sent: QueuedContent = JSON.parse(JSON.stringify({ ...content, job }));
      const stored = JSON.parse(JSON.stringify(await codec.encode("run-1", sent)));
      expect(await codec.decode("run-1", stored)).toEqual(sent);
    }),
  );

  it("does not reveal its content if the job is sealed", async () => {
    const codec = new JobCodec(sealKey);
    const [once, again] = [await codec.encode("id", content), await codec.encode("id", content)];
    expect(JSON.stringify(once)).not.toMatch(/Ann|payslip|E-1/);
    expect(once).not.toEqual(again);
  });

  it.each<[title: string, key: SealKey | undefined, id: string, message: RegExp]>([
    ["with a different key", new Uint8Array(32), "id", /sealed with a different key/],
    ["with another job's ID", sealKey, "other", /was changed, or was sealed with a different key/],
    ["without a key", undefined, "id", /a sealed job\. Pass `sealKey`/],
  ])("cannot be unsealed %s", async (_title, key, id, message) => {
    const sealed = await new JobCodec(sealKey).encode("id", content);
    await expect(new JobCodec(key).decode(id, sealed)).rejects.toThrow(message);
  });

  it("can be unsealed with the same key as base64 or as a Web Crypto key", async () => {
    const usages: KeyUsage[] = ["encrypt", "decrypt"];
    const imported = await crypto.subtle.importKey("raw", sealKey, "AES-GCM", false, usages);
    const sealed = await new JobCodec(sealKey).encode("id", content);
    for (const key of [btoa(String.fromCharCode(...sealKey)), imported])
      expect(await new JobCodec(key).decode("id", sealed)).toEqual(content);
  });

  it.each(["short", new Uint8Array(16)])("cannot be sealed with a key of invalid length: %s", async (key) => {
    const message = /`sealKey` must be 32 bytes .* but is \d+ bytes long/;
    await expect(new JobCodec(key).encode("id", content)).rejects.toThrow(message);
  });

  it.each([{ v: 2, content }, undefined])("is rejected if another version created it: %j", async (data) => {
    await expect(new JobCodec(undefined).decode("id", data as never)).rejects.toMatchObject({
      code: "queue_failed",
      message: expect.stringMatching(/a different version of template-pdf .* stays in the queue/),
    });
  });

  it("has digests that depend on the run, the kind and the text", async () => {
    const all = ["run key a", "run key a", "run place a", "other key a", "run key b"];
    const parts = all.map((each) => each.split(" ") as [string, "key" | "place", string]);
    const digests = await Promise.all(parts.map((part) => digestOf(...part)));
    expect([new Set(digests).size, digests[1]]).toEqual([4, digests[0]]);
    expect(digests.join("")).toMatch(/^[\w-]{100}$/);
  });
});
