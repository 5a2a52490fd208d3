import { type Ground, inBrowser, inBun, inDeno, inNode, inWorkerd, type Run } from "./start.ts";

/** The properties that differ between runtimes. */
interface Facts {
  readonly transport: "undici" | "fetch";
  /** Whether it has buffers, Node streams and files. */
  readonly hasFiles: boolean;
  /** Whether it is a page or a web worker. */
  readonly isPage: boolean;
  /** Whether the environment can be read. */
  readonly hasEnvironment: boolean;
  /** The maximum number of bytes that the service can send to an unread stream; `undefined` if there is no backpressure. */
  readonly mostUnreadBytes: number | undefined;
  /** The outcomes that differ in this runtime, by the name of the fault. */
  readonly otherwise?: Readonly<Record<string, string>>;
}

/** A runtime in which the suite runs. */
export interface Runtime {
  readonly name: string;
  /** The kind of module or page. */
  readonly as: string;
  readonly facts: Facts;
  readonly run: (ground: Ground) => Promise<Run>;
}

const MiB = 1024 * 1024;

const node: Facts = {
  transport: "undici",
  hasFiles: true,
  isPage: false,
  hasEnvironment: true,
  // Most of this is in buffers of the operating system.
  mostUnreadBytes: 16 * MiB,
};

const bun: Facts = { ...node, transport: "fetch" };

const deno: Facts = { ...bun, otherwise: { deflate: "InvalidPdfError" } };

const workerd: Facts = {
  ...deno,
  hasFiles: false,
  hasEnvironment: false,
  otherwise: { ...deno.otherwise, "103 Early Hints, twice": "ApiError 103" },
};

const page: Facts = {
  ...workerd,
  isPage: true,
  // Browsers do not show the target of a redirect.
  otherwise: { "302 to another address": "ApiError 0" },
};

const chromium: Facts = { ...page, mostUnreadBytes: 192 * MiB };

const firefox: Facts = {
  ...page,
  mostUnreadBytes: undefined,
  otherwise: {
    ...page.otherwise,
    "a response that is not HTTP": "InvalidPdfError",
    "closed after the headers": "ConnectionError",
  },
};

/** The runtimes in the order of docs/reports/runtimes.md. */
export const runtimes: readonly Runtime[] = [
  ...([20, 22, 24, 26] as const).flatMap((version) => [
    { name: `Node ${version}`, as: "ES module", facts: node, run: inNode(version, "esm") },
    { name: `Node ${version}`, as: "CommonJS", facts: node, run: inNode(version, "cjs") },
  ]),
  { name: "Bun", as: "ES module", facts: bun, run: inBun("esm") },
  { name: "Bun", as: "CommonJS", facts: bun, run: inBun("cjs") },
  { name: "Deno", as: "ES module", facts: deno, run: inDeno("esm", true) },
  { name: "Deno", as: "CommonJS", facts: deno, run: inDeno("cjs", true) },
  {
    name: "Deno",
    as: "ES module, no `--allow-env`",
    facts: { ...deno, hasEnvironment: false },
    run: inDeno("esm", false),
  },
  { name: "workerd", as: "ES module, bundled", facts: workerd, run: inWorkerd },
  ...(
    [
      ["Chromium", "page", "runSmoke"],
      ["Chromium", "web worker", "runSmokeInWorker"],
      ["Firefox", "page", "runSmoke"],
      ["Firefox", "web worker", "runSmokeInWorker"],
    ] as const
  ).map(([name, kind, runner]) => ({
    name,
    as: `${kind}, bundled`,
    facts: name === "Chromium" ? chromium : firefox,
    run: inBrowser(name === "Chromium" ? "chromium" : "firefox", runner),
  })),
];
