import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { messagesIn } from "./messages.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));

it("docs/reports/messages.md lists every message in src (npm run docs -- messages)", async () => {
  const folders = readdirSync(join(repository, "src"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `src/${name}`)
    .sort();
  const sections = folders.flatMap((folder) => {
    const files = messagesIn(folder);
    if (files.length === 0) return [];
    const lists = files.flatMap(({ file, messages }) => [
      `**${file.slice(folder.length + 1)}**`,
      "",
      ...messages.map(
        (message) => `- ${message.replaceAll(/[\\<>*_[\]]/g, "\\$&").replaceAll("{@", "{&#64;")}`,
      ),
      "",
    ]);
    return [`## ${folder}`, "", ...lists];
  });
  const page = [
    "# Messages",
    "",
    "This page lists the texts in `src` that users may see: errors, and the output and help of the command. `{name}` marks a value that is inserted.",
    "It is generated from the code: `npm run docs -- messages`.",
    "",
    ...sections,
  ];
  await expect(page.join("\n")).toMatchFileSnapshot(join(repository, "docs/reports/messages.md"));
});
