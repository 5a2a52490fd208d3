import { expect, vi } from "vitest";
import { AuthenticationError, ConfigurationError, PermissionError, TemplatePdf } from "../../../src/index.ts";
import { proofs } from "../proof.ts";
import { headerOf } from "../service.ts";

export const authentication = proofs("Authentication", (prove) => {
  const rule1 =
    "Every request carries the header `Authorization` with the value made of the scheme word `API-Key`, one space, and the API key (`API-Key <API_KEY>`).";
  prove(rule1, "the first one, the next one, and those of a sibling", async ({ pdfs, service }) => {
    const { apiKey, oddApiKey } = service;
    await pdfs.generate("inv_2024", {}).bytes();
    await pdfs.generate("inv_2024", {}, { headers: { "x-app": "1" } }).bytes();
    await pdfs.with({ apiKey: oddApiKey }).generate("inv_2024", {}).bytes();
    const sent = service.calls.map((call) => headerOf(call, "authorization"));
    expect(sent).toEqual([apiKey, apiKey, oddApiKey].map((key) => `API-Key ${key}`));
  });

  const wrongForms: [what: string, write: (key: string) => string][] = [
    ["another scheme word", (key) => `Bearer ${key}`],
    ["a scheme word of another spelling", (key) => `ApiKey ${key}`],
    ["no scheme word", (key) => key],
    ["no space", (key) => `API-Key${key}`],
    ["two spaces", (key) => `API-Key  ${key}`],
    ["a tab for the space", (key) => `API-Key\t${key}`],
    ["a colon", (key) => `API-Key: ${key}`],
    ["quotes", (key) => `API-Key "${key}"`],
    ["no key", () => "API-Key"],
    ["another key", (key) => `API-Key ${key}x`],
    ["half of the key", (key) => `API-Key ${key.slice(0, -1)}`],
    ["the key in capitals", (key) => `API-Key ${key.toUpperCase()}`],
  ];
  for (const [what, write] of wrongForms) {
    prove(rule1, `the service's side refuses ${what}`, async ({ pdfs, service }) => {
      const authorization = write(service.apiKey);
      const keyless = pdfs.with({ apiKey: null, headers: { authorization } });
      await expect(keyless.generate("inv_2024", {}).bytes()).rejects.toThrow(AuthenticationError);
      expect(headerOf(service.call, "authorization")).toBe(authorization);
    });
  }

  for (const apiKey of ["two words", " key", "key ", "key\n", "key\r\nx-evil: 1", "schlüssel"]) {
    prove(rule1, `${JSON.stringify(apiKey)} is no key that can follow one space`, async ({ pdfs }) => {
      expect(() => pdfs.with({ apiKey })).toThrow(ConfigurationError);
    });
  }

  const rule2 = "The API key is taken by the account holder from the dashboard under Settings » API keys.";
  prove(rule2, "the client takes what it is given, or what the environment holds", async ({ service }) => {
    vi.stubEnv("TEMPLATE_PDF_API_KEY", service.apiKey);
    const pdfs = new TemplatePdf({ baseUrl: service.baseUrl });
    await pdfs.generate("inv_2024", {}).bytes();
    expect(headerOf(service.call, "authorization")).toBe(`API-Key ${service.apiKey}`);
    await pdfs.close();
  });

  prove(rule2, "a key that is refused sends its holder there", async ({ pdfs }) => {
    const call = pdfs.with({ apiKey: "wrong" }).generate("inv_2024", {}).bytes();
    await expect(call).rejects.toThrow(/dashboard.*Settings » API keys/);
  });

  const rule3 = "No other authentication method is shown.";
  prove(rule3, "none is offered beside the key", async ({ pdfs, service }) => {
    const headers = { Authorization: "Bearer token" };
    const withUser = service.baseUrl.replace("//", "//user:password@");
    expect(() => pdfs.with({ headers })).toThrow(ConfigurationError);
    expect(() => pdfs.with({ baseUrl: withUser })).toThrow(ConfigurationError);
    await expect(pdfs.generate("inv_2024", {}, { headers }).bytes()).rejects.toThrow(ConfigurationError);
    expect(service.calls).toEqual([]);
  });

  prove(rule3, "none is tried when the key is refused, whatever is offered", async ({ pdfs, service }) => {
    service.answer = () => ({ status: 401, headers: { "www-authenticate": 'Basic realm="service"' } });
    await expect(pdfs.generate("inv_2024", {}).bytes()).rejects.toThrow(AuthenticationError);
    expect(headerOf(service.call, "authorization")).toBe(`API-Key ${service.apiKey}`);
  });

  const openRow = "Key lifetime, scopes and rotation: not shown.";
  prove(openRow, "a function is asked for the key of every request anew", async ({ pdfs, service }) => {
    const keys = [service.apiKey, service.oddApiKey];
    const rotating = pdfs.with({ apiKey: async () => keys.shift() ?? "" });
    await rotating.generate("inv_2024", {}).bytes();
    await rotating.generate("inv_2024", {}).bytes();
    const sent = service.calls.map((call) => headerOf(call, "authorization"));
    expect(sent).toEqual([service.apiKey, service.oddApiKey].map((key) => `API-Key ${key}`));
  });

  prove(openRow, "a key that worked before may stop working, and work again", async ({ pdfs, service }) => {
    await pdfs.generate("inv_2024", {}).bytes();
    service.answer = () => ({ status: 401 });
    await expect(pdfs.generate("inv_2024", {}).bytes()).rejects.toThrow(AuthenticationError);
    service.answer = undefined;
    await pdfs.generate("inv_2024", {}).bytes();
    expect(service.calls).toHaveLength(3);
  });

  prove(openRow, "a key that may not do this is a PermissionError", async ({ pdfs, service }) => {
    service.answer = () => ({ status: 403 });
    await expect(pdfs.generate("inv_2024", {}).bytes()).rejects.toThrow(PermissionError);
  });
});
