#!/usr/bin/env node
import process from "node:process";

// This file imports the command only after the check, because older versions of Node cannot load it.
const problem = describeOldNode(process.versions);
if (problem === undefined) {
  import("./command.ts");
} else {
  process.stderr.write(`template-pdf ${problem}.\n`);
  // The same code as for a wrong command line. Importing it would load more files.
  process.exitCode = 2;
}

/** Returns why the command cannot run, or `undefined`. The limits are those of `engines` in package.json. */
function describeOldNode({
  node,
  bun,
  deno,
}: Readonly<Record<string, string | undefined>>): string | undefined {
  // Bun and Deno state the version of Node with which they are compatible, in their own way.
  if (node === undefined || bun !== undefined || deno !== undefined) return undefined;
  const [major = 0, minor = 0] = node.split(".").map(Number);
  const needed = major <= 20 ? [20, 19] : [22, 12];
  const [neededMajor = 0, neededMinor = 0] = needed;
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return undefined;
  return `needs Node ${needed.join(".")} or later; this is ${node}`;
}
