import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { consumer } from "../package/consumer.ts";
import { pages, runtimes } from "./smoke/runtimes.ts";
import { startSmokeService } from "./smoke/service.ts";

const report = readFileSync(
  fileURLToPath(new URL("../../docs/reports/runtimes.md", import.meta.url)),
  "utf8",
);
const { server, document } = await startSmokeService(pages);
afterAll(() => server.close());

it.concurrent.each(runtimes)(
  "every smoke check passes in $name ($as), and docs/reports/runtimes.md lists the runtime's differences",
  { timeout: 600_000 },
  async ({ name, as, facts, run }) => {
    const folder = join(consumer, "projects", `smoke-${name}-${as}`.replaceAll(/[^\w-]+/g, "-"));
    mkdirSync(folder, { recursive: true });
    // The service listens on 127.0.0.1 only, so nothing listens on other loopback addresses.
    const unserved = server.origin.replace("127.0.0.1", "127.91.7.3");
    const settings = { service: server.origin, unserved, folder, document, facts };
    const { version, results } = await run(settings);
    expect(results.length).toBeGreaterThan(30);
    expect(results.filter(({ failed }) => failed)).toEqual([]);

    const row = report
      .split("\n")
      .find((line) => line.startsWith(`| ${name} |`) && line.includes(`| ${as} |`));
    // The versions of the browsers differ between machines.
    if (!facts.isPage) expect(row).toContain(`| ${version} |`);
    const [, section = ""] = report.split(`### ${name}\n`);
    const written = (section.split("\n### ")[0] ?? "").match(/(?<=^- ).*$/gm) ?? [];
    const differences = results.flatMap(({ byDesign }) => byDesign ?? []);
    expect(written).toEqual(expect.arrayContaining(differences));
  },
);
