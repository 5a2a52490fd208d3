import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { TemplatePdf } from "template-pdf";
import { temporaryFolder } from "../client/every-form.ts";
import { type Ending, endingOf, startCommand } from "./command.ts";

/** The templates of the emulator, unless a test passes others. */
export const files = {
  "invoice.json": JSON.stringify({
    content: ["Invoice for {{customer}}", "Total {{total}}"],
    sample: { customer: 'O\'Neil & "Söhne" $HOME `id` \u009b2J\\', total: "£1,000" },
  }),
  "greeting.json": JSON.stringify({ content: ["Hello {{name}}"], sample: { name: "it's\u202e you!" } }),
  "any.mjs":
    "export default ({ explode }) => { if (explode) throw new Error('two\\nlines'); return { content: ['any'] } };",
};

/** A running `emulate` command, whose output is read line by line. */
class Emulation {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ending>;
  readonly #lines: AsyncIterator<string>;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    this.ended = endingOf(child);
    // Reading the output fails if a test closes the pipe.
    this.ended.catch(() => {});
    this.#lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  }

  /** Returns the next line of standard output. */
  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`emulate has exited: ${(await this.ended).stderr}`);
    return value;
  }

  /** Returns all lines up to the one that explains how to stop the emulator. */
  async introduction(): Promise<string[]> {
    const lines: string[] = [];
    while (lines.at(-1) !== "Ctrl-C stops the emulator.") lines.push(await this.line());
    return lines;
  }
}

/** Creates a folder of template files. */
export async function templateFolder(texts: Readonly<Record<string, string>> = files): Promise<string> {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
  return folder;
}

/** Starts the command, and reads its introduction. */
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
