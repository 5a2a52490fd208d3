// Runs in the thread that older Node versions use for module hooks. Newer versions do not need it: see loaded-modules.ts.
import type { MessagePort } from "node:worker_threads";
import { userPathOf, versionToLoad } from "./user-file.ts";

let port: MessagePort;

/** Node calls this once, with the data of the registration. */
export function initialize(data: { readonly port: MessagePort }): void {
  port = data.port;
}

/** Records the state of each user file just before Node reads it. */
export async function load<Context, Result>(
  url: string,
  context: Context,
  next: (url: string, context: Context) => Promise<Result>,
): Promise<Result> {
  const path = userPathOf(url);
  if (path !== undefined) port.postMessage({ path, version: versionToLoad(path) });
  return next(url, context);
}
