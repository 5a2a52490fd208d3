import { expect } from "vitest";
import { RateLimitError } from "../../../src/index.ts";
import { proofs } from "../proof.ts";
import { samplePdf } from "../service.ts";

export const limits = proofs("Limits", (prove) => {
  const row = "Rate limits, size limits and time-outs: not shown.";

  prove(
    row,
    "the client holds no call back: all that are asked for are under way at once",
    async (ground) => {
      const { pdfs, service } = ground;
      const count = 100;
      let letGo = () => {};
      const all = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      service.answer = async () => {
        if (service.calls.length === count) letGo();
        await all;
        return { body: samplePdf };
      };
      const calls = Array.from({ length: count }, () => pdfs.generate("inv_2024", {}).bytes());
      expect(await Promise.all(calls)).toHaveLength(count);
    },
  );

  prove(row, "values of any size are sent", async ({ pdfs, service }) => {
    service.answer = () => ({ body: samplePdf });
    const note = "x".repeat(1_200_000);
    await pdfs.generate("inv_2024", { note }).bytes();
    expect(service.call.body.length).toBe(JSON.stringify({ note }).length);
  });

  prove(row, "a document of megabytes arrives whole", async ({ pdfs, service }) => {
    const padding = new TextEncoder().encode(`\n%${"x".repeat(8_000_000)}\n%%EOF\n`);
    const body = new Uint8Array(Buffer.concat([samplePdf, padding]));
    service.answer = () => ({ body });
    const bytes = await pdfs.generate("inv_2024", {}).bytes();
    expect(Buffer.compare(bytes, body)).toBe(0);
  });

  prove(row, "a limit that the service tells of is handed on, not interpreted", async ({ pdfs, service }) => {
    const headers = { "x-ratelimit-remaining": "0", "x-quota": "documents=100" };
    service.answer = () => ({ status: 429, headers });
    const error: unknown = await pdfs.generate("inv_2024", {}).catch((reason) => reason);
    if (!RateLimitError.is(error)) throw new Error(`Expected a RateLimitError, got ${error}.`);
    expect(Object.fromEntries(error.headers ?? [])).toMatchObject(headers);
  });

  prove(row, "a success that tells of a limit is a success", async ({ pdfs, service }) => {
    service.answer = () => ({
      headers: { "x-ratelimit-remaining": "0", "retry-after": "60" },
      body: samplePdf,
    });
    expect(await pdfs.generate("inv_2024", {}).bytes()).toEqual(samplePdf);
    service.answer = undefined;
    await pdfs.generate("inv_2024", {}).bytes();
    expect(service.calls).toHaveLength(2);
  });
});
