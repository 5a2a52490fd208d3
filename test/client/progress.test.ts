import type { Progress } from "template-pdf";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  type Answer,
  cutOffAfter,
  inChunks,
  pdfOf,
  rejectionOf,
  Service,
  saying,
  withLength,
} from "../support/service.ts";

const pdf = pdfOf(200_000);
const whole = withLength(pdf);
const cutOff = cutOffAfter(pdf, 1_000);

beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0.01);
  onTestFinished(() => void vi.restoreAllMocks());
});

describe("onProgress", () => {
  const start = async (answer: Answer) => {
    const client = (await Service.start(answer)).client({ retry: { limit: 1 } });
    const heard: Progress[] = [];
    return { client, heard, onProgress: (progress: Progress) => void heard.push(progress) };
  };

  it("hears how much has come, up to all of it", async () => {
    const { client, heard, onProgress } = await start(whole);
    await client.generate("inv", {}, { onProgress }).bytes();
    expect(heard.at(-1)).toEqual({ receivedBytes: pdf.length, totalBytes: pdf.length });
    const counts = heard.map(({ receivedBytes }) => receivedBytes);
    expect(counts).toEqual([...new Set(counts)].sort((one, other) => one - other));
    expect(heard.every(({ totalBytes }) => totalBytes === pdf.length)).toBe(true);
  });

  it("knows no total where the answer tells none", async () => {
    const { client, heard, onProgress } = await start(inChunks(pdf));
    await client.generate("inv", {}, { onProgress }).bytes();
    expect(heard.at(-1)).toEqual({ receivedBytes: pdf.length, totalBytes: undefined });
  });

  it("begins anew where a document broke and is asked for again", async () => {
    let count = 0;
    const { client, heard, onProgress } = await start((received) =>
      count++ === 0 ? cutOff(received) : whole(received),
    );
    await client.generate("inv", {}, { onProgress }).bytes();
    expect(heard[0]?.receivedBytes).toBeLessThanOrEqual(1_000);
    expect(heard.at(-1)?.receivedBytes).toBe(pdf.length);
  });

  it("hears nothing of an answer that is no document", async () => {
    const refusal = await start(saying(404, "gone"));
    await rejectionOf(refusal.client.generate("inv", {}, { onProgress: refusal.onProgress }));
    const page = await start(saying(200, "<html>"));
    await rejectionOf(page.client.generate("inv", {}, { onProgress: page.onProgress }));
    expect([...refusal.heard, ...page.heard]).toEqual([]);
  });

  it("hears nothing more once the call was given up, also by itself", async () => {
    const { client } = await start(whole);
    const controller = new AbortController();
    const onProgress = vi.fn(() => controller.abort(new Error("enough")));
    const pending = client.generate("inv", {}, { onProgress, signal: controller.signal }).bytes();
    await expect(pending).rejects.toThrow("enough");
    expect(onProgress).toHaveBeenCalledTimes(1);
  });

  it("loses no document for what it throws, at once or later", async () => {
    const { client } = await start(whole);
    const thrower = () => {
      throw new Error("broken bar");
    };
    const rejecter = async () => thrower();
    for (const onProgress of [thrower, rejecter]) {
      expect((await client.generate("inv", {}, { onProgress }).bytes()).length).toBe(pdf.length);
    }
  });
});
