import { expect, it } from "vitest";
import { maxJsonBytes } from "../../src/cli/input.ts";
import { maxUserFileBytes } from "../../src/emulator/renderer/user-file.ts";
import { maxEnvFileBytes } from "../../src/files/env-file.ts";
import { read } from "./declarations.ts";

it.each([
  ["command-line.md", "`--values` takes", maxJsonBytes],
  ["command-line.md", "The command refuses a `.env`", maxEnvFileBytes],
  ["bulk.md", "A JSON Schema has", maxJsonBytes],
  ["emulator.md", "A JSON template, an image or a font is", maxUserFileBytes],
])("%s states the maximum size of a file: %s …", (guide, beginning, maxBytes) => {
  const text = read(`docs/guides/${guide}`);
  const at = text.indexOf(beginning);
  expect(at, "The sentence has another beginning").not.toBe(-1);
  const [, size] = /(\d+) MiB/.exec(text.slice(at)) ?? [];
  expect(Number(size)).toBe(maxBytes / 1024 ** 2);
});
