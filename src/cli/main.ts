#!/usr/bin/env node
import { writeSync } from "node:fs";
import process from "node:process";
import { exitCodes } from "./exit-codes.ts";
import { inspected } from "./output.ts";
import { run } from "./run.ts";

// Such as what a module throws in a timer: Node would write it to the terminal as it is.
process.on("uncaughtException", (error) => {
  try {
    writeSync(2, `template-pdf: ${inspected(error)}\n`);
  } finally {
    // Standard error may be closed, and Node would then exit with a code of its own.
    process.exit(exitCodes.failed);
  }
});

// Not left to the event loop: a connection that is still being made would keep the process for seconds.
process.exit(await run(process.argv.slice(2), process));
