import type { ClientOptions } from "template-pdf";
import { Agent, fetch as undiciFetch } from "undici";
import { onTestFinished } from "vitest";

/** Both transports, told whom to trust by what the caller gives. */
export function trusting(ca: string): readonly (readonly [string, ClientOptions])[] {
  const dispatcher = new Agent({ connect: { ca } });
  onTestFinished(() => dispatcher.close());
  // biome-ignore lint/suspicious/noExplicitAny: the fetch of the package undici, whose types are not the DOM's.
  const fetch: any = (url: string, init: object) => undiciFetch(url, { ...init, dispatcher });
  return [
    ["undici", { dispatcher }],
    ["fetch", { fetch }],
  ];
}
