import { expect } from "vitest";
import { TemplatePdf } from "../../../src/index.ts";
import { proofs } from "../proof.ts";
import { sentences } from "../sentences.ts";

/** What a request over HTTP/1.1 cannot do without (RFC 9110, RFC 9112). */
const httpItself = ["host", "connection", "content-length"];

export const interfaceSpecification = proofs("Interface Specification", (prove) => {
  prove(
    "This document covers the whole interface of the service: its purpose, resources, states, the one endpoint, authentication, events, errors, limits and versioning.",
    "the client has the one operation, and nothing else it has sends anything",
    async ({ pdfs, service }) => {
      const members = Object.getOwnPropertyNames(TemplatePdf.prototype);
      expect(members.sort()).toEqual(["close", "constructor", "generate", "transport", "with"]);
      const sibling = pdfs.with({ headers: { "x-app": "1" } });
      expect(sibling.transport).toBe(pdfs.transport);
      await sibling.close();
      await pdfs.close();
      expect(service.calls).toEqual([]);
    },
  );

  prove(
    "It is the only document.",
    "each header and each segment of the path that is sent stands in it, or is HTTP's own",
    async ({ pdfs, service }) => {
      await pdfs.generate("inv_2024", {}).bytes();
      const text = Object.values(sentences).flat().join("\n").toLowerCase();
      const segments = service.call.path.split("/").filter((segment) => segment !== "inv_2024");
      const names = service.call.headers.map(([name]) => name.toLowerCase());
      expect(names.filter((name) => !httpItself.includes(name) && !text.includes(`\`${name}\``))).toEqual([]);
      expect(segments.filter((segment) => !text.includes(segment))).toEqual([]);
    },
  );
});
