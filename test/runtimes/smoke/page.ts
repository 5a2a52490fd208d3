import { fileURLToPath } from "node:url";
import type { Run } from "./start.ts";

/** A row of the table: the results of one runtime. */
export interface Row extends Run {
  readonly name: string;
  readonly as: string;
  readonly transport: string;
}

export const pagePath = fileURLToPath(new URL("../../../docs/reports/runtimes.md", import.meta.url));

const head = ["runtime", "version", "as", "transport", "checks passed", "of them different by design"];

const cells = ({ name, version, as, transport, results }: Row): string[] => {
  const passed = results.filter(({ failed }) => failed === undefined).length;
  const different = results.filter(({ byDesign }) => byDesign !== undefined).length;
  return [name, version, as, transport, `${passed} of ${results.length}`, String(different)];
};

/** Returns the table of all runtimes. */
function tableOf(rows: readonly Row[]): string {
  const lines = [head, head.map(() => "---"), ...rows.map(cells)];
  return lines.map((line) => `| ${line.join(" | ")} |`).join("\n");
}

/** Returns a page with the browser versions of another, because they differ between machines. */
export function withBrowsersOf(other: string, page: string): string {
  const browser = /^(\| (?:Chromium|Firefox) \| )([^|]+)( \| [^|]+)/gm;
  const versions = new Map(
    [...other.matchAll(browser)].map(([, name, version, as]) => [`${name}${as}`, version]),
  );
  return page.replaceAll(
    browser,
    (_, name: string, version: string, as: string) => name + (versions.get(`${name}${as}`) ?? version) + as,
  );
}

/** Lists how a runtime differs. Differences of some rows start with their names. */
function differencesOf(rows: readonly Row[]): string[] {
  const differences = new Map<string, string[]>();
  for (const { as, results } of rows) {
    for (const what of new Set(results.flatMap(({ byDesign }) => byDesign ?? [])))
      differences.set(what, [...(differences.get(what) ?? []), as]);
  }
  return [...differences].map(([what, by]) =>
    by.length === rows.length ? `- ${what}` : `- ${by.join(" and ")}: ${what}`,
  );
}

/** Returns docs/reports/runtimes.md with a new table and new lists of differences. */
export function pageOf(page: string, rows: readonly Row[]): string {
  let updated = page.replace(/^\| runtime \|(?:.*\n)+?(?=\n)/m, () => `${tableOf(rows)}\n`);
  for (const name of new Set(rows.map((row) => row.name))) {
    const list = differencesOf(rows.filter((row) => row.name === name)).map((line) => `${line}\n`);
    const heading = new RegExp(`^(### ${name}\\n\\n.*\\n)(?:\\n(?:- .*\\n)+)?`, "m");
    if (list.length > 0 && !heading.test(updated)) throw new Error(`The page has no section about ${name}.`);
    updated = updated.replace(heading, (_, start) =>
      list.length > 0 ? `${start}\n${list.join("")}` : start,
    );
  }
  return updated;
}
