import { objectionOfWindows } from "../../files/filenames.ts";

/**
 * Says what keeps a path from being one of a file inside a folder: values may stand in it, and no value may lead elsewhere.
 *
 * @param path - relative to the folder
 * @param platform - as `process.platform` tells it
 * @returns `undefined` where nothing does
 */
export function objectionToPath(path: string, platform: string): string | undefined {
  const isWindows = platform === "win32";
  const names = path.split(isWindows ? /[\\/]/ : "/");
  for (const name of names) {
    if (name === "") return "it has an empty part, as an absolute path has";
    if (name === "." || name === "..")
      return `it has the part ${JSON.stringify(name)}, which leads elsewhere`;
    if (unprintable.test(name)) return "it has a character that no file name should have";
    if (new TextEncoder().encode(name).length > 255) return "a name in it is longer than 255 bytes";
    if (isWindows && objectionOfWindows(name) !== undefined) {
      return "it has a name that Windows does not take";
    }
  }
  return undefined;
}

/** Control characters, text direction marks, half characters. */
const unprintable = /[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;
