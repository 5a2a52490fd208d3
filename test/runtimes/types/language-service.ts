import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const file = fileURLToPath(new URL("../../types/program.ts", import.meta.url));

/** Marks the position of the cursor in a program. */
const cursor = "|";

/** An editor that requests messages, completions and types of an unsaved program from TypeScript. */
export class Editor {
  readonly #prelude: string;
  readonly #service: ts.LanguageService;
  #text = "";
  #version = 0;

  /** @param prelude - code before every program */
  constructor(prelude: string) {
    this.#prelude = prelude;
    const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, root);
    this.#service = ts.createLanguageService({
      fileExists: ts.sys.fileExists,
      readFile: ts.sys.readFile,
      directoryExists: ts.sys.directoryExists,
      getDirectories: ts.sys.getDirectories,
      getScriptFileNames: () => [file],
      getScriptVersion: (path) => (path === file ? String(this.#version) : "1"),
      getScriptSnapshot: (path) => {
        const text = path === file ? this.#text : ts.sys.readFile(path);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => root,
      getCompilationSettings: () => ({ ...options, noUnusedLocals: false }),
      getDefaultLibFileName: ts.getDefaultLibFilePath,
    });
  }

  /** Returns the messages for each line of a program, as lines. */
  complaints(lines: readonly string[]): string[][] {
    this.#open(lines.join("\n"));
    const messages: string[][] = lines.map(() => []);
    const service = this.#service;
    const all = [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)];
    for (const { start = 0, messageText } of all) {
      const at = this.#text.slice(this.#prelude.length, start).split("\n").length - 1;
      const message = ts.flattenDiagnosticMessageText(messageText, "\n").split("\n");
      messages[at]?.push(...message.map((line) => line.trim()));
    }
    return messages;
  }

  /** Returns the completions at the cursor, sorted. */
  completions(program: string): string[] {
    const at = this.#open(program);
    const found = this.#service.getCompletionsAtPosition(file, at, {});
    return (found?.entries ?? []).map(({ name }) => name).sort();
  }

  /** Returns the type information for the name after the cursor. */
  hover(program: string): string {
    const at = this.#open(program);
    const info = this.#service.getQuickInfoAtPosition(file, at);
    return ts.displayPartsToString(info?.displayParts);
  }

  /** Opens a program and returns the position of the cursor. */
  #open(program: string): number {
    const at = program.indexOf(cursor);
    this.#text =
      this.#prelude + (at < 0 ? program : program.slice(0, at) + program.slice(at + cursor.length));
    this.#version += 1;
    return this.#prelude.length + Math.max(at, 0);
  }
}
