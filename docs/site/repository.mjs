// @ts-check
import { readFileSync } from "node:fs";
import { repositoryName } from "../../scripts/release/repository-name.mjs";

const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/** The URL of the repository on GitHub. */
export const repository = `https://github.com/${repositoryName(manifest.repository.url)}`;
