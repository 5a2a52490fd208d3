import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { written } from "./written.ts";

/**
 * What the code knows is not typed by hand in README.md or a guide. It stands there between two comments, as in
 *
 *     <!-- generated: members src/options/timeouts.ts Timeouts -->
 *     <!-- end of generated -->
 *
 * where the first names a region (test/docs/regions) and what the region is told.
 */

const repository = fileURLToPath(new URL("../..", import.meta.url));
const guides = readdirSync(join(repository, "docs/guides")).map((name) => `docs/guides/${name}`);

describe("what the code knows stands in the papers as the code has it; where it is stale, `npm run docs -- tables`", () => {
  it.each(["README.md", ...guides])("in %s", async (paper) => {
    const path = join(repository, paper);
    await expect(await written(readFileSync(path, "utf8"))).toMatchFileSnapshot(path);
  });
});

describe("a region", () => {
  const of = (region: string) =>
    written(`before\n<!-- generated: ${region} -->\nstale\n<!-- end of generated -->\nafter\n`);

  it("is a table of the members of an interface: their defaults, and what their docstrings say", async () => {
    const text = await of("members src/options/retry.ts Retry");
    expect(text).toContain("| `limit` | 2 | How many retries at most. |");
    expect(text).toContain("| `mayRenderTwice` | `true` | Whether to retry");
    expect(text).not.toContain("stale");
    expect(text).toMatch(
      /^before\n<!-- generated: members .* -->\n\n\|[\s\S]*\|\n\n<!-- end of generated -->\nafter\n$/,
    );
  });

  it("has no column of defaults where no member has one", async () => {
    expect(await of("members src/bulk/bulk-options.ts BulkProgress")).toMatch(
      /^\| member \| what it is \|$/m,
    );
  });

  it("is a table of the errors: their codes, their docstrings, and what is each one's own", async () => {
    const text = await of("errors");
    expect(text).toContain(
      "| `TimeoutError` | `timeout` | A limit of `timeouts` was reached. | `phase` `limitMs` |",
    );
    expect(text).toContain("| – `RateLimitError` | `rate_limited` | 429: too many requests. |  |");
  });

  it.each([
    ["nothing", "has no region `nothing`"],
    ["members src/options/timeouts.ts Nothing", "has no interface `Nothing`"],
  ])("%s is refused", async (region, message) => {
    await expect(of(region)).rejects.toThrow(message);
  });

  it("without its end is refused", async () => {
    await expect(written("<!-- generated: members src/options/retry.ts Retry -->\n")).rejects.toThrow(
      "has no end",
    );
  });
});
