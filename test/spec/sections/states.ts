import { expect } from "vitest";
import { InvalidPdfError } from "../../../src/index.ts";
import { proofs } from "../proof.ts";
import { samplePdf } from "../service.ts";

export const states = proofs("States and transitions", (prove) => {
  prove(
    "No states or transitions of any resource are shown in the interface.",
    "the client remembers nothing of an answer: the same call is the same request again",
    async ({ pdfs, service }) => {
      const headers = {
        "set-cookie": "session=1",
        etag: '"1"',
        "x-request-id": "1",
        "cache-control": "max-age=60",
      };
      service.answer = () => ({ headers, body: samplePdf });
      await pdfs.generate("inv_2024", { total: "1" }).bytes();
      await pdfs.generate("inv_2024", { total: "1" }).bytes();
      expect(service.calls).toHaveLength(2);
      expect(service.calls[1]).toEqual(service.calls[0]);
    },
  );

  prove(
    "Transitions: not shown.",
    "a 202 that brings the document is the end of it",
    async ({ pdfs, service }) => {
      service.answer = () => ({ status: 202, headers: { location: "/jobs/1" }, body: samplePdf });
      expect(await pdfs.generate("inv_2024", {}).bytes()).toEqual(samplePdf);
      expect(service.calls).toHaveLength(1);
    },
  );

  prove(
    "Transitions: not shown.",
    "a 202 without a document is not waited upon",
    async ({ pdfs, service }) => {
      const headers = { location: "/jobs/1", "content-type": "application/json" };
      service.answer = () => ({ status: 202, headers, body: '{"state":"rendering"}' });
      await expect(pdfs.generate("inv_2024", {}).bytes()).rejects.toThrow(InvalidPdfError);
      expect(service.calls.map(({ path }) => path)).not.toContain("/jobs/1");
    },
  );
});
