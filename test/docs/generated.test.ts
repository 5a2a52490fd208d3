import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { regenerate } from "./regenerate.ts";

/**
 * README.md and the guides contain regions that are generated from the code, between two comments:
 *
 *     <!-- generated: report-table bundlers.md Bytes -->
 *     <!-- end of generated -->
 *
 * The first comment names a file of test/docs/regions and its arguments.
 */

const repository = fileURLToPath(new URL("../..", import.meta.url));
const guides = readdirSync(join(repository, "docs/guides")).map((name) => `docs/guides/${name}`);

it.each(["README.md", "docs/reports/command-line.md", ...guides])(
  "%s has up-to-date tables (npm run docs -- tables)",
  async (page) => {
    const path = join(repository, page);
    await expect(await regenerate(readFileSync(path, "utf8"))).toMatchFileSnapshot(path);
  },
);
