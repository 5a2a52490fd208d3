// Runs in the thread that older Nodes keep for module hooks. Newer ones do without: see loaded-modules.ts.
import { fileURLToPath } from "node:url";
import type { MessagePort } from "node:worker_threads";
import { versionOf } from "./file-version.ts";

let port: MessagePort;

/** Node calls this once, with what the registration gave it. */
export function initialize(data: { readonly port: MessagePort }): void {
  port = data.port;
}

/** Notes the file of each module as it is just before Node reads it. */
export async function load<Context, Result>(
  url: string,
  context: Context,
  next: (url: string, context: Context) => Promise<Result>,
): Promise<Result> {
  if (url.startsWith("file:")) {
    port.postMessage({ url, version: versionOf(fileURLToPath(url.replace(/[?#].*$/, ""))) });
  }
  return next(url, context);
}
