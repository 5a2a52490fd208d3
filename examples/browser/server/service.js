import { startEmulator } from "template-pdf/emulator";

/**
 * Where documents come from: your account, if the environment names it, else the emulator on this machine.
 *
 * @param {{ latency?: string, fault?: string[] }} flags - how slow the emulator is, and what it does wrong
 */
export async function startService({ latency, fault }) {
  const { TEMPLATE_PDF_BASE_URL: baseUrl, TEMPLATE_PDF_API_KEY: apiKey } = process.env;
  if (baseUrl && apiKey) return { baseUrl, apiKey };
  return startEmulator({ templates: new URL("../templates", import.meta.url), latency, faults: fault });
}
