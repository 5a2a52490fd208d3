// Runs in the thread that older Nodes keep for module hooks. Newer ones do without: see loaded-modules.ts.
import type { MessagePort } from "node:worker_threads";
import { userPathOf, versionOf } from "./user-file.ts";

let port: MessagePort;

/** Node calls this once, with what the registration gave it. */
export function initialize(data: { readonly port: MessagePort }): void {
  port = data.port;
}

/** Notes the file of each module of the user's as it is just before Node reads it. */
export async function load<Context, Result>(
  url: string,
  context: Context,
  next: (url: string, context: Context) => Promise<Result>,
): Promise<Result> {
  const path = userPathOf(url);
  if (path !== undefined) port.postMessage({ path, version: versionOf(path) });
  return next(url, context);
}
