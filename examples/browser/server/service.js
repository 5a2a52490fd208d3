import { startEmulator } from "template-pdf/emulator";

/**
 * Returns the service of the environment, or starts the emulator.
 *
 * @param {{ latency?: string, fault?: string[] }} flags - the latency and the faults of the emulator
 */
export async function startService({ latency, fault }) {
  const { TEMPLATE_PDF_BASE_URL: baseUrl, TEMPLATE_PDF_API_KEY: apiKey } = process.env;
  if (baseUrl && apiKey) return { baseUrl, apiKey };
  return startEmulator({ templates: new URL("../templates", import.meta.url), latency, faults: fault });
}
