import { device } from "./safe-filename.ts";

/**
 * Says why Windows takes no file of a name, or takes one that its own programs cannot open: Node asks for files in a way that leaves out
 * the rules of names, so a `NUL.pdf` or a `draft.` is made, and then cannot be deleted by hand; a `:` leads into a hidden stream.
 *
 * @param name - one part of a path
 * @returns `undefined` where there is nothing to say
 */
export function objectionOfWindows(name: string): string | undefined {
  if (device.test(name)) return "Windows keeps that name for a device";
  if (forbidden.test(name))
    return 'Windows takes none of \\ / : * ? " < > | and no control characters in a name';
  if (/[. ]$/.test(name)) return "Windows takes no name that ends with a dot or a space";
  // It counts the halves of characters that JavaScript counts, not bytes.
  return name.length > 255 ? "its name is too long" : undefined;
}

const forbidden = /[\p{Cc}\\/:*?"<>|]/u;
