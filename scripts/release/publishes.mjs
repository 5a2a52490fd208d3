// @ts-check
// Prints `publishes=true` when npm knows the package, but not this version of it; whatever else comes to `main`
// publishes nothing. A workflow of GitHub goes by it.
import { readJson } from "./read-json.mjs";
import { standingOf } from "./registry.mjs";

const { standing, why } = standingOf(readJson("package.json"));
const advice =
  "npm trusts a workflow only with a package that it knows: see `The first one` in CONTRIBUTING.md";
console.error(standing === "no package" ? `${why}; ${advice}.` : `${why}.`);
if (standing === "not told") process.exit(1);
console.log(`publishes=${standing === "new version"}`);
