/** The files that a paper shows: its blocks of TypeScript and JavaScript whose first line names a file, by that name. */
export function filesIn(markdown: string): Map<string, string> {
  const files = markdown.matchAll(/^```(?:tsx?|js)\n\/\/ (\S+\.\w+)\n(.*?)^```$/gms);
  return new Map([...files].map(([, file = "", code = ""]) => [file, code]));
}

/** The blocks of code in a paper that are of a language, such as `ts`: without their fences, in order. */
export function blocksOf(markdown: string, language: string): string[] {
  const blocks = markdown.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"));
  return [...blocks].map(([, code = ""]) => code);
}
