/**
 * Reads the `.env` file in the working directory, which Node does not read by itself. Returns an empty string if it cannot be
 * read.
 */
export function readEnvFile(): string {
  try {
    return process.getBuiltinModule("node:fs").readFileSync(".env", "utf8");
  } catch {
    return "";
  }
}
