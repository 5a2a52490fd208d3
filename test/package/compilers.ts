import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { version as typescriptVersion } from "typescript";
import { expect, it } from "vitest";
import { outputOf } from "../support/programs.ts";
import { inOneOrder, mistakes, prelude } from "../types/mistakes.ts";
import { consumer, link, makeProject, runNode } from "./consumer.ts";

/** What is the same in every project. */
export const common = {
  noEmit: true,
  // Of a library, say: every exported type has to have a name.
  declaration: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  // TypeScript's own take longer than ours, and are not ours.
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

/** The version of the compiler that needs no installing. */
export const ofRepository = typescriptVersion;

/** The program that is the compiler of a version. */
export function tsc(version: string): string {
  if (version === ofRepository)
    return fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));
  return join(consumer, "projects", "compilers", "node_modules", `typescript-${version}`, "bin", "tsc");
}

/** Makes the tests, one for each compiler, that it tells what is wrong in words for its reader. */
export function testMistakes(versions: readonly string[]): void {
  it.concurrent.each(versions)(
    "refuse in TypeScript %s what is wrong, in words for its reader",
    async (version) => {
      const before = prelude.split("\n").length - 1;
      const root = makeProject(`mistakes-${version}`, {
        "package.json": JSON.stringify({ type: "module" }),
        "tsconfig.json": JSON.stringify({
          // The types of some schema libraries are too new for some of these.
          compilerOptions: { ...common, skipLibCheck: true, module: "nodenext", lib: ["ES2022"], types: [] },
          include: ["*.ts"],
        }),
        "mistakes.ts": prelude + mistakes.map(([code]) => code).join("\n"),
      });
      for (const name of ["zod", "zod-3", "valibot", "arktype"]) link(root, name);
      const said = await runNode(root, tsc(version), "--pretty", "false").catch(
        (error: Error) => error.message,
      );
      const found = [...said.matchAll(/^(\S+)\((\d+),\d+\): error TS\d+: (.*(?:\n {2}.*)*)/gm)].map(
        ([, file, line, message = ""]) => [file, Number(line) - before, lastOf(message.split("\n"))],
      );
      const expected = mistakes.map(([, ...message], at) => ["mistakes.ts", at + 1, lastOf(message)]);
      expect(found).toEqual(expected);
    },
  );
}

/** The line that tells most: the only one that all compilers print. */
function lastOf(message: readonly string[]): string {
  return inOneOrder(message.at(-1)?.trim() ?? "");
}
