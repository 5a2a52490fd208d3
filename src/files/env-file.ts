import { readSmallFileSync } from "./read-file.ts";

/** The maximum size of a `.env` file in bytes. */
export const maxEnvFileBytes = 1024 * 1024;

/**
 * Reads the `.env` file in the working directory, which Node does not read by itself. Returns an empty string if it cannot be
 * read.
 */
export function readEnvFile(): string {
  try {
    return readSmallFileSync(".env", maxEnvFileBytes).toString();
  } catch {
    return "";
  }
}
