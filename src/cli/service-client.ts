import { TemplatePdf } from "../index.ts";
import type { ServiceSettings } from "./service-settings.ts";

/** Creates the client for a command that generates many documents, each within `timeoutMs`. */
export function openClient(
  settings: ServiceSettings,
  timeoutMs: number,
  { allowInsecureHttp }: { readonly allowInsecureHttp?: boolean },
): TemplatePdf {
  // Rendering may use the whole time.
  const timeouts = { firstByte: Number.POSITIVE_INFINITY, total: timeoutMs };
  return new TemplatePdf({ ...settings, allowInsecureHttp, timeouts });
}
