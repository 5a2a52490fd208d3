import { isWindows } from "./platform.ts";

/** Makes the paths in a message relative to a folder, with slashes: `"/out/a.pdf"`. */
export function seenFrom(folder: string, message: string): string {
  const quoted = JSON.stringify(folder).slice(1, -1);
  const short = message.replaceAll(quoted, "").replaceAll(folder, "");
  return isWindows ? short.replaceAll("\\\\", "/") : short;
}
