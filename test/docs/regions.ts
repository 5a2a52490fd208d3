import ts from "typescript";
import { expect } from "vitest";
import { type CellResults, type Results, ratioIn } from "../../bench/compare/results.mjs";
import { decide, repeatAfter } from "../../src/call/retry-policy.ts";
import { run } from "../../src/cli/run.ts";
import type { TimeoutPhase } from "../../src/errors/errors.ts";
import { inSeconds } from "../../src/errors/retry-after.ts";
import { resolveRetry } from "../../src/options/retry.ts";
import { resolveTimeouts } from "../../src/options/timeouts.ts";
import { FakeTerminal } from "../cli/fake-terminal.ts";
import { groups } from "../faults/rows/index.ts";
import { constantOf, declarationsIn, docstringOf, membersOf, read } from "./declarations.ts";

/** The generated parts of README.md and the guides, by name. Each is a function of the words after its name. */
export const regions: Readonly<Record<string, (...words: readonly string[]) => string | Promise<string>>> = {
  /** A table of the CPU time and memory of calls, from docs/reports/benchmarks.json. */
  benchmarks() {
    const { date, machine, server, savedTo } = benchmarks;
    const sizes = [2_000, 50_000, 1_000_000].map((bytes) => cellOf(bytes, 20));
    const loads = [1, 20, 200].map((inFlight) => cellOf(1_000_000, inFlight));
    const shown = /^(?:template-pdf|undici dispatch|node:http|global fetch)/;
    const names = Object.keys(sizes[0]?.contenders ?? {}).filter((name) => shown.test(name));
    const columns = ["CPU, 2 kB", "CPU, 50 kB", "CPU, 1 MB", "MB, 1 in flight", "MB, 20 in flight"];
    const table = tableOf(
      ["", ...columns, "MB, 200 in flight"],
      names.map((name) => [
        name,
        ...sizes.map((cell) => ratioIn(cell, name)),
        ...loads.map(({ contenders }) => String(Math.round(contenders[name]?.peakMegabytes ?? Number.NaN))),
      ]),
    );
    const { node, cores, processor, platform, loadBefore } = machine;
    const where = `${date}, Node ${node}, ${cores} cores (${processor}), ${platform}; ${server}; files in ${savedTo}.`;
    const isBusy = loadBefore > cores;
    return `${table}\n\n${where}${isBusy ? " The machine was busy, so the figures are approximate." : ""}`;
  },

  /** Compares clients, with the results of test/runtimes/comparison.test.ts and of the benchmark. */
  comparison() {
    const results: Record<string, Record<string, string>> = JSON.parse(read("docs/reports/comparison.json"));
    const clients = Object.keys(Object.values(results)[0] ?? {});
    /** The names of clients in the benchmark, if they differ. */
    const contenders: Readonly<Record<string, string>> = {
      "template-pdf": "template-pdf bytes()",
      fetch: "global fetch",
      undici: "undici request",
    };
    const cpuOf = (client: string, cell: CellResults) => ratioIn(cell, contenders[client] ?? client);
    const sizes = { "2 kB": cellOf(2_000, 20), "1 MB": cellOf(1_000_000, 20) };
    return tableOf(
      ["situation", ...clients.map((client) => (client === "undici" ? "undici `request`" : client))],
      [
        ...Object.entries(results).map(([title, row]) => [title, ...Object.values(row)]),
        ...Object.entries(sizes).map(([size, cell]) => [
          `CPU time for a document of ${size}, relative to undici \`dispatch\``,
          ...clients.map((client) => cpuOf(client, cell)),
        ]),
        ["dependencies installed with it", ...clients.map(dependenciesOf)],
      ],
    );
  },

  /** A table of the error classes, with the properties that each adds to its base class. */
  errors() {
    const classes = declarationsIn("src/errors/errors.ts").statements.filter(ts.isClassDeclaration);
    return tableOf(
      ["error", "`code`", "when", "properties"],
      classes.map((each) => {
        const code = each.getText();
        const [, name, parent] = /^export class (\w+) extends (\w+)/.exec(code) ?? [];
        const [, literal] = /^ {2}override readonly code\b.* = (".+");$/m.exec(code) ?? [];
        // The base class overrides `name`, which `Error` has. The other classes override what the table already lists.
        const declared = parent === "Error" ? "(?:override |declare )?" : "(?:declare )?";
        const properties = code.matchAll(new RegExp(`^ {2}${declared}(?:readonly|get) (\\w+)`, "gm"));
        return [
          `${parent === "ApiError" ? "– " : ""}\`${name}\``,
          literal?.replaceAll('"', "`") ?? "",
          docstringOf(each)[0] ?? "",
          [...properties].map(([, property]) => `\`${property}\``).join(" "),
        ];
      }),
    );
  },

  /** A table of the hooks: when each is called, and the properties of its event. */
  events() {
    const source = declarationsIn("src/options/hooks.ts");
    const nameOf = (property: ts.TypeElement) => `\`${property.name?.getText()}\``;
    /** The text of a docstring, without the full stop at its end. */
    const summaryOf = (property: ts.TypeElement) => docstringOf(property).join(" ").replace(/\.$/, "");
    const described = (property: ts.TypeElement) =>
      `${nameOf(property)}: ${summaryOf(property).replace(/^./, (first) => first.toLowerCase())}`;
    const propertiesOf = (event: string) => membersOf(source, event).map(described).join("; ");
    const rows = membersOf(source, "Hooks").map((hook) => {
      const [, event = ""] = /\(event: (\w+)\)/.exec(hook.getText()) ?? [];
      return [nameOf(hook), summaryOf(hook), propertiesOf(event)];
    });
    return tableOf(
      ["hook", "when", "properties of the event"],
      [...rows, ["all hooks", "", propertiesOf("CallEvent")]],
    );
  },

  /** The number of faults that the tests simulate, and a link to their results. */
  faults() {
    const count = groups.reduce((sum, { rows }) => sum + rows.length, 0);
    const report = "https://github.com/template-pdf/template-pdf/blob/main/docs/reports/faults.md";
    return `The tests simulate ${count} faults. [A table](${report}) shows the result of each with undici and with \`fetch\`, and whether it is retried.`;
  },

  /** The output of a command with `--help`: `help generate`. */
  async help(command = "") {
    const terminal = new FakeTerminal();
    await run([command, "--help"], terminal);
    return `\`\`\`text\n${terminal.printed.trim()}\n\`\`\``;
  },

  /** A table of the timeouts, with their defaults. */
  limits() {
    const timeouts = resolveTimeouts();
    const rows = (Object.keys(timeouts) as TimeoutPhase[]).map((phase) => [
      `\`${phase}\``,
      timeouts[phase].toLocaleString("en"),
      ...spans[phase],
    ]);
    const errorBody = inSeconds(constantOf("src/call/phase-timeouts.ts", "longestRefusalMs"));
    return `${tableOf(["property", "default, ms", "starts when", "ends when", "retried"], rows)}

The body of an error response must arrive within ${errorBody}, or within \`stall\` if \`stall\` is shorter. If the body takes longer, the error contains the part that arrived.`;
  },

  /** The first table below a heading of a report: `report-table bundlers.md Bytes`. */
  "report-table"(file = "", ...words) {
    const heading = words.join(" ");
    const [, below = ""] = read(`docs/reports/${file}`).split(`\n## ${heading}\n`);
    return /(?:^\|.*\n)+/m.exec(below)?.[0] ?? expect.fail(`${file} has no table below "${heading}".`);
  },

  /** A table of options: `options src/options/client-options.ts ClientOptions`. Its default is the end of a docstring. */
  options(file = "", name = "") {
    const options = membersOf(declarationsIn(file), name).filter(({ name }) => name && ts.isIdentifier(name));
    const rows = options.map((member) => {
      const { name: option, type, questionToken } = member as ts.PropertySignature;
      const [, text = "", byDefault] =
        /^(.*?)(?: Default: (.*)\.)?$/.exec(docstringOf(member).join(" ")) ?? [];
      const [meaning = ""] = /^.*?\.(?= [A-Z`]|$)/.exec(text) ?? [];
      return [
        `\`${option?.getText()}\``,
        `\`${typeText(type)}\``,
        questionToken ? (byDefault ?? "none") : "required",
        meaning || expect.fail(`The first sentence about ${name}.${option?.getText()} does not end.`),
      ];
    });
    return tableOf(["option", "type", "default", "meaning"], rows);
  },

  /** A table of the retry rules, computed by the retry policy. */
  retry() {
    const all = Array.from({ length: 500 }, (_, at) => at + 100);
    const statuses = all.filter((status) => repeatAfter(status) !== "never");
    const policy = { limit: Number.POSITIVE_INFINITY, mayRenderTwice: true };
    // More attempts than the delay grows over.
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempt) => {
      const decision = decide({ repeat: "safe" }, attempt, policy, Number.POSITIVE_INFINITY, () => 1);
      return "delayMs" in decision ? decision.delayMs : 0;
    });
    const [first = "", ...steps] = [...new Set(delays)].map(inSeconds);
    const longest = inSeconds(constantOf("src/call/retry-policy.ts", "longestDelayMs"));
    return tableOf(
      ["rule", "default"],
      [
        ["retries", `up to ${resolveRetry().limit} (\`retry.limit\`)`],
        ["statuses", inWords(statuses)],
        ["delay", `random, up to ${first} before the second attempt, then up to ${inWords(steps)}`],
        [
          "delay with `Retry-After`",
          `the requested delay; if it is longer than ${longest}, the call rejects immediately, and the error's \`retryAfterMs\` contains the delay`,
        ],
        ["delay beyond `timeouts.total`", "the call rejects immediately"],
      ],
    );
  },
};

/** The text of an option's type, without what only the compiler needs. */
function typeText(type: ts.TypeNode | undefined): string {
  const text = type?.getText() ?? expect.fail("An option has no type.");
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ \| undefined\b|^\| |readonly | & Fitting<J>| & \{ \[K in keyof T\]: object \}/g, "")
    .replaceAll(/NoInfer<(\w+)>/g, "$1")
    .replaceAll(/, \)/g, ")")
    .replaceAll(/\( (?=request)/g, "(")
    .replace(/^\((.*)\)$/, "$1");
}

/** A Markdown table. */
function tableOf(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Words in a list: `a`, `a and b`, `a, b and c`. */
function inWords(words: readonly (string | number)[]): string {
  return [words.slice(0, -1).join(", "), ...words.slice(-1)].filter((part) => part !== "").join(" and ");
}

const benchmarks: Results = JSON.parse(read("docs/reports/benchmarks.json"));

/** The figures for documents of this size over HTTP. */
function cellOf(bytes: number, inFlight: number): CellResults {
  const found = benchmarks.cells.find(
    (cell) => cell.protocol === "http" && cell.bytes === bytes && cell.inFlight === inFlight,
  );
  return found ?? expect.fail(`No figures for ${bytes} bytes, ${inFlight} in flight.`);
}

/** Counts the packages that an installation of a client adds. Node contains `fetch`. */
function dependenciesOf(client: string): string {
  if (client === "fetch") return "0";
  const isOurs = client === "template-pdf" || client === "undici";
  const { packages } = JSON.parse(read(isOurs ? "package-lock.json" : "bench/peers/package-lock.json"));
  const namesIn = (path: string): string[] => Object.keys(packages[path].dependencies ?? {});
  const all = new Set(namesIn(client === "template-pdf" ? "" : `node_modules/${client}`));
  // The iteration includes names that are added during it.
  for (const name of all) for (const dependency of namesIn(`node_modules/${name}`)) all.add(dependency);
  return String(all.size);
}

/** When each timeout starts and ends, and whether the call is then retried. */
const spans: Readonly<Record<TimeoutPhase, readonly [starts: string, ends: string, retried: string]>> = {
  connect: ["the client opens a connection", "the request is sent", "yes"],
  firstByte: ["the request is sent", "the first byte of the document arrives", "yes"],
  stall: [
    "a byte of the document arrives",
    "the next byte or the end arrives; paused while the reader is slower than the service",
    "yes, unless streamed",
  ],
  unread: [
    "you receive a `GeneratedPdf` or a stream",
    "you call an output method, or read the stream for the first time",
    "no",
  ],
  total: ["`generate()` returns", "the document is in memory or saved, or you receive the stream", "no"],
};
