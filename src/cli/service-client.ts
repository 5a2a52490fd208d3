import { TemplatePdf } from "../index.ts";
import type { ServiceSettings } from "./service-settings.ts";

/** Creates the client of a command that generates many documents, each within `timeoutMs`. */
export function openClient(
  settings: ServiceSettings,
  timeoutMs: number,
  { allowInsecureHttp }: { readonly allowInsecureHttp?: boolean },
): TemplatePdf {
  // The service may take all of that time for rendering.
  const timeouts = { firstByte: Number.POSITIVE_INFINITY, total: timeoutMs };
  return new TemplatePdf({ ...settings, allowInsecureHttp, timeouts });
}
