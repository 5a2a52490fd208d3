import { fileURLToPath } from "node:url";
import { lint, loadConfig } from "@redocly/openapi-core";
import { Command } from "commander";
import type { ClientOptions } from "template-pdf";
import { describe, expect, it } from "vitest";
import { addEmulate } from "../../src/cli/commands/add-emulate.ts";
import { pdfOf, Service, transports, withLength } from "../support/service.ts";
import { Contract } from "./openapi/contract.ts";
import { openApiFile, readOpenApi } from "./openapi/document.ts";
import type { SeenRequest } from "./openapi/exchange.ts";
import { facts } from "./openapi/facts.ts";

describe("docs/openapi.yaml", () => {
  it("breaks no rule of redocly.yaml", async () => {
    const configPath = fileURLToPath(new URL("../../redocly.yaml", import.meta.url));
    const problems = await lint({ ref: openApiFile, config: await loadConfig({ configPath }) });
    const told = problems.map(({ ruleId, message, location: [place] }) => [ruleId, message, place?.pointer]);
    expect(told).toEqual([]);
  });

  describe("says what the specification says", () => {
    const sayable = Object.entries(facts).flatMap(([sentence, check]) =>
      typeof check === "string" ? [] : [{ sentence, check }],
    );
    it.each(sayable)("$sentence", ({ check }) => check(readOpenApi()));
  });

  it("names the emulator where the command line lets it listen", () => {
    const program = new Command();
    addEmulate(program, {} as Parameters<typeof addEmulate>[1]);
    const port = program.commands[0]?.options.find(({ long }) => long === "--port")?.defaultValue;
    expect(readOpenApi().servers[1]?.url).toBe(`http://127.0.0.1:${port}`);
  });
});

describe("the client", () => {
  it.each(transports)("sends, by %s, what docs/openapi.yaml describes", async (_, options) => {
    const sent = await sentBy(options);
    const contract = new Contract(readOpenApi());
    expect(contract.objectionsToRequest(sent)).toEqual([]);
    expect(contract.parametersOf(sent.path)).toEqual({ uid });
  });

  it.each<[string, (text: string) => string, string]>([
    ["another method", (text) => text.replace('"post":', '"put":'), "no POST at"],
    ["another path", (text) => text.replace("/templates/", "/documents/"), "no POST at"],
    ["another scheme", (text) => text.replaceAll("API-Key <", "Bearer <"), "Authorization is not Bearer"],
    ["another type", (text) => text.replaceAll("application/json", "text/csv"), "application/json is not"],
    ["other values", (text) => text.replace('"additionalProperties":true', '"required":["lines"]'), "lines"],
  ])("would not, were %s described", async (_, change, objection) => {
    const text = JSON.stringify(readOpenApi());
    expect(change(text)).not.toBe(text);
    const contract = new Contract(JSON.parse(change(text)));
    expect(contract.objectionsToRequest(await sentBy({})).join()).toContain(objection);
  });
});

const uid = "Rechnung 2024/März?#%";

/** The request of a client, as a server sees it. */
async function sentBy(options: ClientOptions): Promise<SeenRequest> {
  const service = await Service.start(withLength(pdfOf(100)));
  await service.client(options).generate(uid, { date: "20 November 2026", total: "£1,000,000" }).bytes();
  const { path, headers, body, response } = await service.request();
  return {
    method: response.req.method ?? "",
    path,
    headers: new Headers(headers as Record<string, string>),
    body,
  };
}
