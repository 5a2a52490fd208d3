import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { TemplatePdf } from "template-pdf";
import { temporaryFolder } from "../client/every-form.ts";
import { type Ending, endingOf, startCommand } from "./command.ts";

/** The templates of an emulator where a test names none. */
export const files = {
  "invoice.json": JSON.stringify({
    content: ["Invoice for {{customer}}", "Total {{total}}"],
    sample: { customer: 'O\'Neil & "Söhne" $HOME `id` \u009b2J\\', total: "£1,000" },
  }),
  "greeting.json": JSON.stringify({ content: ["Hello {{name}}"], sample: { name: "it's\u202e you!" } }),
  "any.mjs":
    "export default ({ explode }) => { if (explode) throw new Error('two\\nlines'); return { content: ['any'] } };",
};

/** Everything that an emulator says, line by line. */
class Emulation {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ending>;
  readonly #lines: AsyncIterator<string>;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    this.ended = endingOf(child);
    // Where a test closes the pipe, there is nothing to be gathered.
    this.ended.catch(() => {});
    this.#lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  }

  /** The next line of standard output. */
  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`It has ended: ${(await this.ended).stderr}`);
    return value;
  }

  /** All lines up to the one that says how to stop it. */
  async introduction(): Promise<string[]> {
    const lines: string[] = [];
    while (lines.at(-1) !== "Ctrl-C stops the emulator.") lines.push(await this.line());
    return lines;
  }
}

/** Makes a folder of template files. */
export async function templateFolder(texts: Readonly<Record<string, string>> = files): Promise<string> {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
  return folder;
}

/** Starts the command, and reads what it says of itself. */
export async function emulate(flags: readonly string[] = [], texts?: Readonly<Record<string, string>>) {
  const folder = await templateFolder(texts);
  const emulation = new Emulation(
    startCommand(["emulate", folder, "--port", "0", ...flags], { cwd: folder }),
  );
  const introduction = await emulation.introduction();
  const [baseUrl = "", apiKey = ""] = introduction.slice(0, 2).map((line) => line.split(/ {2,}/)[1]);
  const pdfs = new TemplatePdf({ baseUrl, apiKey, retry: false });
  return { folder, emulation, introduction, baseUrl, apiKey, pdfs };
}
