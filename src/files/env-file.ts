/** Reads the file `.env` in the working directory, which Node does not read by itself; empty if it cannot be read. */
export function readEnvFile(): string {
  try {
    return process.getBuiltinModule("node:fs").readFileSync(".env", "utf8");
  } catch {
    return "";
  }
}
