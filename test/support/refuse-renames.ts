import { onTestFinished } from "vitest";
import { fileSystem } from "../../src/files/file-system.ts";

/** Replaces functions with which the package uses files, until the test has finished. */
export function replaceFileFunctions(functions: Partial<ReturnType<typeof fileSystem>>): void {
  const files = fileSystem();
  const before = { ...files };
  onTestFinished(() => void Object.assign(files, before));
  Object.assign(files, functions);
}

/** Lets the system refuse every rename with this code until the test has finished. Returns its error. */
export function refuseRenames(code: string): Error {
  const refusal = Object.assign(new Error(code), { code, syscall: "rename" });
  replaceFileFunctions({ rename: () => Promise.reject(refusal) });
  return refusal;
}
