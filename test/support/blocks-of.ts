/** Returns the files that a page contains: its TypeScript and JavaScript blocks whose first line names a file, by that name. */
export function filesIn(markdown: string): Map<string, string> {
  const files = markdown.matchAll(/^```(?:tsx?|js)\n\/\/ (\S+\.\w+)\n(.*?)^```$/gms);
  return new Map([...files].map(([, file = "", code = ""]) => [file, code]));
}

/** Returns the code blocks of a page in one language, such as `ts`, in order and without their fences. */
export function blocksOf(markdown: string, language: string): string[] {
  const blocks = markdown.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"));
  return [...blocks].map(([, code = ""]) => code);
}
