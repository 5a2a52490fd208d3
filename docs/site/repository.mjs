// @ts-check
import { readFileSync } from "node:fs";
import { repositoryName } from "../../scripts/release/repository-name.mjs";

/** The address of the repository, for people. */
export const repository = `https://github.com/${repositoryName(JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).repository.url)}`;
