// @ts-check
import { readFileSync } from "node:fs";

const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/** The address of the repository, for people. */
export const repository = manifest.repository.url.replace(/^git\+/, "").replace(/\.git$/, "");
