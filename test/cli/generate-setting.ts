import { temporaryFolder } from "../client/every-form.ts";
import { type Answer, pdfOf, Service, withLength } from "../support/service.ts";
import { FakeTerminal } from "./fake-terminal.ts";

/** Starts a service, and returns it with an empty working directory, and a terminal and an environment that use it. */
export async function generateSetting(answer: Answer = withLength(pdfOf(36_789)), apiKey = "k") {
  const service = await Service.start(answer);
  const env = { TEMPLATE_PDF_API_KEY: apiKey, TEMPLATE_PDF_BASE_URL: service.baseUrl };
  const terminal = new FakeTerminal();
  terminal.env = { ...env };
  return { service, cwd: temporaryFolder(), env, terminal };
}
