import { version } from "../../package.json";
import { serverAdvice } from "../request/advice.ts";
import { platform as browser } from "./browser.ts";
import type { Platform } from "./platform.ts";

/** Edge workers, and runtimes that are not known. Unlike browsers, they hold API keys. */
export const platform: Platform = {
  ...browser,
  userAgent: `template-pdf/${version}`,
  advice: serverAdvice(),
};
