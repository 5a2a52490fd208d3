import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { AnyOrderTogether } from "./test/support/any-order-together.ts";

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

const resolve = {
  alias: [
    { find: "#platform", replacement: source("platform/node.ts") },
    { find: "#sockets", replacement: source("testing/sockets/node.ts") },
    { find: /^template-pdf$/, replacement: source("index.ts") },
    { find: /^template-pdf\/browser$/, replacement: source("browser/index.ts") },
    { find: /^template-pdf\/bulk$/, replacement: source("bulk/index.ts") },
    { find: /^template-pdf\/handler$/, replacement: source("handler/index.ts") },
    { find: /^template-pdf\/emulator$/, replacement: source("emulator/index.ts") },
    { find: /^template-pdf\/testing$/, replacement: source("testing/index.ts") },
  ],
};

/** They watch limits of time: what they wait for takes no core, and little beside them may. */
const waiting = ["test/client/timeouts*.test.ts", "test/network/closing-servers.test.ts"];

/** Where tests ask functions and objects, which hold nothing beyond them. */
const withoutState =
  /^(?:[^/]+|(?:bulk(?:\/folder)?|cli\/(?:bulk|template-types(?:\/json-schema)?)|emulator\/(?:faults|renderer\/json)|json|service|testing)\/[^/]+)$/;

/** These start what they end, and put back what they change; and they are short, as the longest have to begin first. */
const withState = new Set(
  Object.entries({
    bench: ["bulk-page", "contenders", "page", "settings"],
    cli: [
      "closed-pipes",
      "command-line",
      "duration",
      "emulate-refusals",
      "failures",
      "generate",
      "input-values",
      "open-file",
      "output",
      "progress",
      "quoted-word",
      "refusals",
      "stopping",
      "types",
      "types-guide",
      "types-output",
      "types-patterns",
      "types-refusals",
    ],
    client: [
      "answers",
      "broken-documents",
      "cancellation",
      "closing",
      "errors",
      "forms",
      "hooks",
      "keys",
      "metadata",
      "mistakes",
      "mocks",
      "options",
      "other-origins",
      "pages",
      "progress",
      "promise",
      "rendered-ahead",
      "secrets",
      "secrets-of-settings",
      "siblings",
    ],
    docs: [
      "project-papers",
      "links",
      "openapi",
      "openapi-answers",
      "regions",
      "release",
      "security-guide",
      "workflows",
    ],
    emulator: [
      "certificate",
      "changing-files",
      "invoice",
      "named-folders",
      "renderer/pdfmake",
      "reporting",
      "schemas",
      "start",
    ],
    faults: ["page", "paused-end"],
    files: ["absolute-path", "filenames", "kept-modes", "processes", "refusals", "save", "targets"],
    guards: ["ceilings"],
    handler: ["documents", "failures", "options", "origins", "permission"],
    network: ["explained", "failing-proxies", "odd-answers", "tls"],
    observability: ["async-context", "open-telemetry"],
    spec: ["fetch", "sentences", "undici"],
    support: ["faults/fault-server", "fuzz"],
    transport: ["connections", "decode", "decode-properties", "http2", "interim-answers", "proxy"],
  }).flatMap(([folder, names]) => names.map((name) => `${folder}/${name}.test.ts`)),
);

/** These change the clock, a global or the environment for a while, load modules anew, or measure their process. */
const ofTheirOwn = new Set([
  "bulk/lock-holder.test.ts",
  "cli/bulk/progress-text.test.ts",
  "timer.test.ts",
  "chunks.test.ts",
  "timer-of-edge-workers.test.ts",
  "collector.test.ts",
  "emulator/faults/served.test.ts",
  "emulator/faults/waiting.test.ts",
  "environment.test.ts",
  "errors.test.ts",
  "filename.test.ts",
  "redact.test.ts",
  "redacted-causes.test.ts",
  "retry-after.test.ts",
  "service/listen.test.ts",
  "service/replaced-response.test.ts",
  "testing/fake-pdf.test.ts",
  "testing/fake-service-mistakes.test.ts",
  "testing/faults-of-the-guide.test.ts",
  "testing/pdf-text.test.ts",
  "pdf-check-memory.test.ts",
]);

/** Several of these run in one process, whose start takes longer than most of them; in any order. */
const together = readdirSync(new URL("test", import.meta.url), { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".test.ts") && (withoutState.test(path) || withState.has(path)))
  .filter((path) => !ofTheirOwn.has(path))
  .map((path) => `test/${path}`);

export default defineConfig({
  test: {
    // More than a small machine has cores; vitest would leave one to itself, and many tests wait for something.
    maxWorkers: 3,
    sequence: { sequencer: AnyOrderTogether },
    tags: [
      { name: "property", description: "Says what holds for anything; `npm run fuzz` runs these alone." },
    ],
    projects: [
      {
        resolve,
        test: {
          name: "source",
          include: ["test/**/*.test.ts"],
          exclude: ["test/{package,runtimes}/**", ...waiting, ...together],
          testTimeout: 20_000,
        },
      },
      {
        resolve,
        test: { name: "source-together", include: together, testTimeout: 20_000, isolate: false },
      },
      {
        resolve,
        test: {
          name: "waiting",
          include: waiting,
          testTimeout: 20_000,
          // They only wait: of eight files there are two rounds.
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // What npm would publish, installed. After the others, because compilers beside them would spoil
        // what they measure.
        test: {
          name: "package",
          include: ["test/package/**/*.test.ts"],
          globalSetup: ["test/package/install.ts"],
          testTimeout: 60_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        // The same, with runtimes, compilers and tools that have to be installed first: for `npm run runtimes`, outside `npm run verify`.
        test: {
          name: "runtimes",
          include: ["test/runtimes/**/*.test.ts"],
          globalSetup: ["test/runtimes/install.ts"],
          testTimeout: 60_000,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
