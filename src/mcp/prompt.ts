import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Prompt, PromptMessage } from "@modelcontextprotocol/sdk/types.js";
import { readSmallFile } from "../files/read-file.ts";

/** The guides that explain the syntax of templates ship with the package. Only one section of the first is about templates. */
const guides = [
  { file: "docs/guides/emulator.md", heading: "## Templates\n" },
  { file: "docs/guides/templates.md", heading: undefined },
];

const maxGuideBytes = 1024 * 1024;

/** The prompt for a new template. */
export const newTemplatePrompt: Prompt = {
  name: "new-template",
  title: "New template",
  description: "Writes a template for the emulator, checks it, and renders it.",
  arguments: [
    {
      name: "document",
      description: "The document, for example: an invoice with a table of lines",
      required: false,
    },
  ],
};

/**
 * Returns the messages of the prompt.
 *
 * @param folder - the template folder
 * @param document - what the user wants
 */
export async function promptMessages(folder: string, document = "a document"): Promise<PromptMessage[]> {
  const manifest = createRequire(import.meta.url).resolve("template-pdf/package.json");
  const texts = guides.map(async ({ file, heading }) => {
    const text = (await readSmallFile(join(dirname(manifest), file), maxGuideBytes)).toString();
    return heading === undefined ? text : text.slice(text.indexOf(heading)).split(/\n(?=## )/, 1);
  });
  const task = `Write a template for ${document}. Save it in the folder ${folder} as <uid>.json, with a schema and a sample.
Then call check_templates and fix each problem. When there are none, call the template's generate_… tool with the sample, look at the PDF, and improve the template.
This is the syntax of templates:`;
  const text = [task, ...(await Promise.all(texts))].join("\n\n");
  return [{ role: "user", content: { type: "text", text } }];
}
