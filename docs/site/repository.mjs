// @ts-check
import { readFileSync } from "node:fs";

const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/** The URL of the repository on GitHub. */
export const repository = manifest.repository.url.replace(/^git\+|\.git$/g, "");
