// @ts-check
import { readJson } from "../../scripts/release/read-json.mjs";
import { repositoryName } from "../../scripts/release/repository-name.mjs";

/** The address of the repository, for people. */
export const repository = `https://github.com/${repositoryName(readJson("package.json").repository.url)}`;
