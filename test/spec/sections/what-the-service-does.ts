import { expect } from "vitest";
import { ConfigurationError, TemplatePdf } from "../../../src/index.ts";
import { readPdf } from "../../support/pdf-text.ts";
import { proofs } from "../proof.ts";
import { headerOf, samplePdf, textOf } from "../service.ts";

export const whatTheServiceDoes = proofs("What the service does", (prove) => {
  prove(
    "The service is a REST service that produces PDF documents from stored templates.",
    "what comes is a PDF that an independent reader opens",
    async ({ pdfs }) => {
      const bytes = await pdfs.generate("inv_2024", { total: "£1,000,000" }).bytes();
      expect(await readPdf(bytes)).toEqual({
        pages: 1,
        text: expect.stringContaining("Template inv_2024"),
      });
    },
  );

  prove(
    "A caller supplies the uid of a template and an object of values for that template.",
    "these two are all that a call needs, and both arrive",
    async ({ pdfs, service }) => {
      await pdfs.generate("inv_2024", { date: "20 November 2026" }).bytes();
      expect(service.call.path).toContain("/inv_2024/");
      expect(textOf(service.call)).toBe('{"date":"20 November 2026"}');
    },
  );

  prove(
    "The service returns the generated PDF as the response to the same request (a synchronous call).",
    "one request brings the document",
    async ({ pdfs, service }) => {
      service.produce = () => ({ bytes: samplePdf });
      expect(await pdfs.generate("inv_2024", {}).bytes()).toEqual(samplePdf);
      expect(service.calls).toHaveLength(1);
    },
  );

  prove(
    "Templates and API keys are managed by the account holder in a dashboard.",
    "the client manages neither: for a wrong uid it points to the dashboard",
    async ({ pdfs, service }) => {
      await expect(pdfs.generate("", {}).bytes()).rejects.toThrow(/uid from the dashboard/);
      expect(service.calls).toEqual([]);
    },
  );

  prove(
    "API keys are found there under Settings » API keys.",
    "whoever has no key, or a wrong one, is told so",
    async ({ pdfs, service: { baseUrl } }) => {
      const place = /dashboard.*Settings » API keys/;
      const wrong = pdfs.with({ apiKey: "wrong" });
      await expect(wrong.generate("inv_2024", {}).bytes()).rejects.toThrow(place);
      expect(() => new TemplatePdf({ baseUrl })).toThrow(place);
    },
  );

  prove(
    "Requests are plain HTTP calls with a JSON body.",
    "the body is the JSON text itself, in UTF-8, neither encoded nor wrapped",
    async ({ pdfs, service }) => {
      const values = { total: "£1,000,000", name: "Zoë 😀" };
      await pdfs.generate("inv_2024", values).bytes();
      expect(textOf(service.call)).toBe(JSON.stringify(values));
      expect(headerOf(service.call, "content-encoding")).toBe("");
    },
  );

  prove(
    "A JavaScript client also exists, and the service can be used with any HTTP client such as cURL.",
    "both get the same document",
    async ({ pdfs, service }) => {
      const bytes = await pdfs.generate("inv_2024", { date: "20 November 2026" }).bytes();
      const response = await service.send("/api/v1/templates/inv_2024/generate-sync", {
        body: '{"date":"20 November 2026"}',
      });
      const plain = new Uint8Array(await response.arrayBuffer());
      expect(await readPdf(plain)).toEqual(await readPdf(bytes));
    },
  );

  prove(
    "A JavaScript client also exists, and the service can be used with any HTTP client such as cURL.",
    "both send the same request",
    async ({ pdfs, service }) => {
      await pdfs.generate("inv_2024", {}).bytes();
      await service.send("/api/v1/templates/inv_2024/generate-sync");
      const [ours, plain] = service.calls.map((call) => [
        call.method,
        call.path,
        headerOf(call, "authorization"),
        headerOf(call, "content-type"),
        textOf(call),
      ]);
      expect(ours).toEqual(plain);
    },
  );

  const path = "/api/v1/templates/inv_2024/generate-sync";
  for (const [prefix, expected] of [
    ["", path],
    ["/", path],
    ["/a/prefix", `/a/prefix${path}`],
    ["/a/prefix/", `/a/prefix${path}`],
  ] as const) {
    prove(
      "The base address of the service is `{base_url}`.",
      `with "${prefix}" after its host, requests go to ${expected}`,
      async ({ pdfs, service }) => {
        const client = pdfs.with({ baseUrl: service.baseUrl + prefix });
        await client.generate("inv_2024", {}).bytes();
        expect(service.call.path).toBe(expected);
      },
    );
  }

  prove(
    "The base address of the service is `{base_url}`.",
    "no address is invented where none is given",
    async ({ service: { apiKey } }) => {
      expect(() => new TemplatePdf({ apiKey })).toThrow(ConfigurationError);
    },
  );
});
