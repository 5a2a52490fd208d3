import { writeSync } from "node:fs";
import process from "node:process";
import { exitCodes } from "./exit-codes.ts";
import { inspected } from "./output.ts";
import { run } from "./run.ts";

// For example, an error that a user's module throws in a timer. Node would print it unescaped.
process.on("uncaughtException", (error) => {
  try {
    writeSync(2, `template-pdf: ${inspected(error)}\n`);
  } finally {
    // If standard error is closed, Node would exit with another code.
    process.exit(exitCodes.failed);
  }
});

// Exit explicitly: a connection that is still being established would keep the process alive for seconds.
process.exit(await run(process.argv.slice(2), process));
