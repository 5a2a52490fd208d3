// @ts-check
import { join } from "node:path";
import { root } from "./run-command.mjs";

const { BUILD_OUTPUT_FOLDER } = process.env;

/** The folder that `npm publish` packs, and that tests load. */
export const dist = join(root, "dist");

/** The folder that the steps of the build write to. `scripts/build.mjs` selects another one, and then renames it to `dist`. */
export const outputFolder = BUILD_OUTPUT_FOLDER ?? dist;
