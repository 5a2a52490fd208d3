import { fileURLToPath } from "node:url";
import type { Run } from "./start.ts";

/** How the suite ended in one runtime. */
export interface Row extends Run {
  readonly name: string;
  readonly as: string;
  readonly transport: string;
}

export const pagePath = fileURLToPath(new URL("../../../docs/reports/runtimes.md", import.meta.url));

/** Why a runtime is different, in the words of this page. */
const reasons: Readonly<Record<string, string>> = {
  Bun: "It puts a shim of its own in the place of undici, so requests go by its `fetch`.",
  Deno: "Requests go by its `fetch`, which decodes gzip and brotli only. It is run with permission for no more than the network of the service, its own folder, and the two variables of the environment.",
  workerd:
    "The runtime of Cloudflare Workers, started by miniflare. It has no files, and no streams or buffers of Node. Its `fetch` decodes gzip and brotli only, and takes `103 Early Hints` for the answer itself.",
  Chromium:
    "A page holds no key and has no files, and is not told where an answer would send it. The browser itself takes in some 70 MB before the service has to wait.",
  Firefox:
    "A page holds no key and has no files, and is not told where an answer would send it. The browser itself takes in everything that comes, however slowly the page reads; a first line that is no HTTP is a document to it, as in HTTP/0.9; and a connection that closes after the head is no answer to it.",
};

const head = ["runtime", "version", "as", "transport", "checks passed", "of them different by design"];

const cells = ({ name, version, as, transport, results }: Row): string[] => {
  const passed = results.filter(({ failed }) => failed === undefined).length;
  const different = results.filter(({ byDesign }) => byDesign !== undefined).length;
  return [name, version, as, transport, `${passed} of ${results.length}`, String(different)];
};

/** The table of all runtimes. */
export function tableOf(rows: readonly Row[]): string {
  const lines = [head, head.map(() => "---"), ...rows.map(cells)];
  return lines.map((line) => `| ${line.join(" | ")} |`).join("\n");
}

/** A page with the browsers that another was written with: each machine has its own. */
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

/** What a runtime does in another way; what only some of its rows do, under their names. */
function differencesOf(rows: readonly Row[]): string[] {
  const told = new Map<string, string[]>();
  for (const { as, results } of rows) {
    for (const what of new Set(results.flatMap(({ byDesign }) => byDesign ?? [])))
      told.set(what, [...(told.get(what) ?? []), as]);
  }
  return [...told].map(([what, by]) =>
    by.length === rows.length ? `- ${what}` : `- ${by.join(" and ")}: ${what}`,
  );
}

/** The whole of docs/reports/runtimes.md. */
export function pageOf(rows: readonly Row[]): string {
  const sections = [...new Set(rows.map(({ name }) => name))].flatMap((name) => {
    const differences = differencesOf(rows.filter((row) => row.name === name));
    const reason = reasons[name];
    if (!reason && differences.length === 0) return [];
    const list = differences.length > 0 ? `\n\n${differences.join("\n")}` : "";
    return [`### ${name}\n\n${reason ?? ""}${list}`];
  });
  return `# Where it runs

One suite, [runtimes/smoke](../../runtimes/smoke), runs in every runtime of this table, from the package as npm would publish it, against one
server on bare sockets: every form of a document, the errors, at least one fault of each kind of [faults.md](faults.md), second tries,
cancellation, backpressure, typed templates, and files where there are files. \`npm run runtimes\` installs what it needs, runs it, prints
this table, and fails where this page says anything else; only the versions of the browsers may differ. \`npm run docs -- runtimes\` writes it.

${tableOf(rows)}

## What is different, by design

Everything else is the same everywhere.

${sections.join("\n\n")}
`;
}
