import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { folderOf, runTypes } from "./types-command.ts";

const guide = readFileSync(new URL("../../docs/guides/typed-templates.md", import.meta.url), "utf8");
const [, section = ""] = guide.split("## Types from samples\n");

function blockOf(language: string): string {
  return new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(section)?.[1] ?? "";
}

it("the guide shows what the command writes for its sample", async () => {
  const [, words = ""] = /^npx template-pdf types (.*)\n$/.exec(blockOf("sh")) ?? [];
  const { code, written } = await runTypes(folderOf({ [words]: blockOf("json") }), words);
  expect(code).toBe(0);
  expect(written).toBe(blockOf("ts"));
});
