import { isWindows } from "./platform.ts";

/** A message whose paths are told as seen from a folder, with slashes: `"/out/a.pdf"`. */
export function seenFrom(folder: string, message: string): string {
  const quoted = JSON.stringify(folder).slice(1, -1);
  const short = message.replaceAll(quoted, "").replaceAll(folder, "");
  return isWindows ? short.replaceAll("\\\\", "/") : short;
}
