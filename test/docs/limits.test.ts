import { expect, it } from "vitest";
import { maxJsonBytes } from "../../src/cli/input.ts";
import { maxUserFileBytes } from "../../src/emulator/renderer/user-file.ts";
import { maxEnvFileBytes } from "../../src/files/env-file.ts";
import { maxDocumentBytes, maxEmbeddedBytes } from "../../src/mcp/documents.ts";
import { maxMessageBytes } from "../../src/mcp/serve.ts";
import { read } from "./declarations.ts";

it.each([
  ["command-line.md", "`--values` takes", maxJsonBytes],
  ["command-line.md", "The command refuses a `.env`", maxEnvFileBytes],
  ["bulk.md", "A JSON Schema has", maxJsonBytes],
  ["emulator.md", "A JSON template, an image or a font is", maxUserFileBytes],
  ["mcp.md", "It also contains the PDF, if it has", maxEmbeddedBytes],
  ["mcp.md", "It refuses messages of", maxMessageBytes],
  ["mcp.md", "and documents of", maxDocumentBytes],
])("%s states the maximum size of a file: %s …", (guide, beginning, maxBytes) => {
  const text = read(`docs/guides/${guide}`);
  const at = text.indexOf(beginning);
  expect(at, "The sentence has another beginning").not.toBe(-1);
  const [, size] = /(\d+) MiB/.exec(text.slice(at)) ?? [];
  expect(Number(size)).toBe(maxBytes / 1024 ** 2);
});
