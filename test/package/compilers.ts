import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { version as typescriptVersion } from "typescript";
import { outputOf } from "../support/programs.ts";
import { inOneOrder, mistakes, prelude } from "../types/mistakes.ts";
import { consumer, link, makeProject, runNode } from "./consumer.ts";

/** The compiler options of every project. */
export const common = {
  noEmit: true,
  // As in a library: every exported type must have a name.
  declaration: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  // Checking the types of TypeScript's libraries takes longer and would not test this package.
  skipDefaultLibCheck: true,
  target: "ES2022",
};

/** Installs compilers side by side, by their versions. */
export async function installCompilers(versions: readonly string[]): Promise<void> {
  const folder = makeProject("compilers", { "package.json": "{}" });
  const aliases = versions.map((version) => `typescript-${version}@npm:typescript@${version}`);
  const args = ["install", "--no-audit", "--no-fund", "--prefer-offline", ...aliases];
  await outputOf("npm", args, { cwd: folder });
}

/** The version of the compiler that is installed already. */
export const ofRepository = typescriptVersion;

/** The compiler program of a version. */
export function tsc(version: string): string {
  if (version === ofRepository)
    return fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));
  return join(consumer, "projects", "compilers", "node_modules", `typescript-${version}`, "bin", "tsc");
}

/** The errors of test/types/mistakes.ts: the file, the line and the message of each. */
export const expectedMistakes = mistakes.map(([, ...message], at) => [
  "mistakes.ts",
  at + 1,
  lastOf(message),
]);

/** Compiles test/types/mistakes.ts with a version of TypeScript. Returns its errors, like `expectedMistakes`. */
export async function compileMistakes(version: string): Promise<unknown[]> {
  const before = prelude.split("\n").length - 1;
  const root = makeProject(`mistakes-${version}`, {
    "package.json": JSON.stringify({ type: "module" }),
    "tsconfig.json": JSON.stringify({
      // The types of some schema libraries are too new for some of these compilers.
      compilerOptions: { ...common, skipLibCheck: true, module: "nodenext", lib: ["ES2022"], types: [] },
      include: ["*.ts"],
    }),
    "mistakes.ts": prelude + mistakes.map(([code]) => code).join("\n"),
  });
  for (const name of ["zod", "zod-3", "valibot", "arktype"]) link(root, name);
  const said = await runNode(root, tsc(version), "--pretty", "false").catch((error: Error) => error.message);
  return [...said.matchAll(/^(\S+)\((\d+),\d+\): error TS\d+: (.*(?:\n {2}.*)*)/gm)].map(
    ([, file, line, message = ""]) => [file, Number(line) - before, lastOf(message.split("\n"))],
  );
}

/** The most useful line, and the only one that all compilers print. */
function lastOf(message: readonly string[]): string {
  return inOneOrder(message.at(-1)?.trim() ?? "");
}
