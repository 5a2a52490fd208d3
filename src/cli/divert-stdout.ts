import process from "node:process";

/**
 * Lets everything that is written to the process's standard output go to standard error while something is done:
 * templates that are loaded may print, and what is written there may be the file of the types.
 */
export async function divertStdout<T>(work: () => Promise<T>): Promise<T> {
  const { stdout, stderr } = process;
  const own = Object.getOwnPropertyDescriptor(stdout, "write");
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  try {
    return await work();
  } finally {
    if (own) Object.defineProperty(stdout, "write", own);
    else Reflect.deleteProperty(stdout, "write");
  }
}
