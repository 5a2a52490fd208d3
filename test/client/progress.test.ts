import type { Progress } from "template-pdf";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Answer,
  cutOffAfter,
  inChunks,
  inTurn,
  pdfOf,
  rejectionOf,
  Service,
  saying,
  withLength,
} from "../support/service.ts";
import { withoutBackOff } from "./timing.ts";

const pdf = pdfOf(200_000);
const completePdf = withLength(pdf);

beforeEach(withoutBackOff);

describe("onProgress", () => {
  const start = async (answer: Answer) => {
    const client = (await Service.start(answer)).client({ retry: { limit: 1 } });
    const received: Progress[] = [];
    return { client, received, onProgress: (progress: Progress) => void received.push(progress) };
  };

  it("receives the number of bytes that have arrived until the document is complete", async () => {
    const { client, received, onProgress } = await start(completePdf);
    await client.generate("inv", {}, { onProgress }).bytes();
    expect(received.at(-1)).toEqual({ receivedBytes: pdf.length, totalBytes: pdf.length });
    const counts = received.map(({ receivedBytes }) => receivedBytes);
    expect(counts).toEqual([...new Set(counts)].sort((one, other) => one - other));
    expect(received.every(({ totalBytes }) => totalBytes === pdf.length)).toBe(true);
  });

  it("receives no total if the response has no content-length", async () => {
    const { client, received, onProgress } = await start(inChunks(pdf));
    await client.generate("inv", {}, { onProgress }).bytes();
    expect(received.at(-1)).toEqual({ receivedBytes: pdf.length, totalBytes: undefined });
  });

  it("restarts if the request of a truncated document is retried", async () => {
    const { client, received, onProgress } = await start(inTurn(cutOffAfter(pdf, 1_000), completePdf));
    await client.generate("inv", {}, { onProgress }).bytes();
    expect(received[0]?.receivedBytes).toBeLessThanOrEqual(1_000);
    expect(received.at(-1)?.receivedBytes).toBe(pdf.length);
  });

  it("is not called for a response that is not a PDF", async () => {
    const refusal = await start(saying(404, "gone"));
    await rejectionOf(refusal.client.generate("inv", {}, { onProgress: refusal.onProgress }));
    const page = await start(saying(200, "<html>"));
    await rejectionOf(page.client.generate("inv", {}, { onProgress: page.onProgress }));
    expect([...refusal.received, ...page.received]).toEqual([]);
  });

  it("is not called after the call is cancelled, even by the callback itself", async () => {
    const { client } = await start(completePdf);
    const controller = new AbortController();
    const onProgress = vi.fn(() => controller.abort(new Error("enough")));
    const pending = client.generate("inv", {}, { onProgress, signal: controller.signal }).bytes();
    await expect(pending).rejects.toThrow("enough");
    expect(onProgress).toHaveBeenCalledTimes(1);
  });

  it("does not affect the document if it throws or rejects", async () => {
    const { client } = await start(completePdf);
    const thrower = () => {
      throw new Error("broken bar");
    };
    const rejecter = async () => thrower();
    for (const onProgress of [thrower, rejecter]) {
      expect((await client.generate("inv", {}, { onProgress }).bytes()).length).toBe(pdf.length);
    }
  });
});
