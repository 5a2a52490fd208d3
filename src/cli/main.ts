#!/usr/bin/env node
import process from "node:process";
import { run } from "./run.ts";

// Not left to the event loop: a connection that is still being made would keep the process for seconds.
process.exit(await run(process.argv.slice(2), process));
