import { expect } from "vitest";
import { type ClientOptions, ConfigurationError } from "../../../src/index.ts";
import { proofs } from "../proof.ts";
import { samplePdf } from "../service.ts";

export const versioning = proofs("Versioning", (prove) => {
  const prefixRow = "The version is part of the path: the endpoint lives under the prefix `/api/v1`.";
  prove(prefixRow, "it follows the base address", async ({ pdfs, service }) => {
    await pdfs.generate("inv_2024", {}).bytes();
    await pdfs
      .with({ baseUrl: `${service.baseUrl}/a/prefix` })
      .generate("inv_2024", {})
      .bytes();
    const starts = service.calls.map(({ path }) => path.split("/templates/")[0]);
    expect(starts).toEqual(["/api/v1", "/a/prefix/api/v1"]);
  });

  prove(prefixRow, "it stands in the path only", async ({ pdfs, service }) => {
    await pdfs.generate("inv_2024", {}).bytes();
    expect(JSON.stringify(service.call.headers)).not.toMatch(/version|\bv\d/i);
  });

  const onlyRow = "The only version shown is `v1`.";
  for (const option of ["version", "apiVersion"]) {
    prove(onlyRow, `the client has no option \`${option}\``, async ({ pdfs }) => {
      expect(() => pdfs.with({ [option]: "v2" } as ClientOptions)).toThrow(ConfigurationError);
    });
  }

  prove(onlyRow, "a uid cannot lead to another", async ({ pdfs, service }) => {
    await pdfs.generate("../../v2/templates/inv_2024", {}).catch(() => {});
    expect(service.call.path).toMatch(/^\/api\/v1\/templates\/[^/]+\/generate-sync$/);
  });

  for (const other of ["v2", "v10", "v", "V1", "1"]) {
    prove(onlyRow, `the service's side knows no ${other}`, async ({ service }) => {
      const { status } = await service.send(`/api/${other}/templates/inv_2024/generate-sync`);
      expect(status).toBe(404);
    });
  }

  prove(
    "Deprecation policy and compatibility rules: not shown.",
    "an answer that speaks of them is an answer like any other, and its headers can be read",
    async ({ pdfs, service }) => {
      const headers = {
        deprecation: "@1700000000",
        sunset: "Sat, 01 Jan 2000 00:00:00 GMT",
        warning: "299 - old",
      };
      service.answer = () => ({ headers, body: samplePdf });
      const pdf = await pdfs.generate("inv_2024", {});
      expect(Object.fromEntries(pdf.headers)).toMatchObject(headers);
      expect(await pdf.bytes()).toEqual(samplePdf);
    },
  );
});
