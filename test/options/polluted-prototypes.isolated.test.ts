import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleSource } from "../support/bundle-source.ts";
import { slowestProperty } from "../support/fuzz.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { variants } from "./pollution/hostile-values.ts";
import type { Differences, Pollution, Started } from "./pollution/program.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = makeTemporaryFolder("pollution");
let program: ChildProcess;
/** The names of all options, which the program has recorded. */
let names: readonly string[];
let clean: Readonly<Record<string, string>>;
let stable: Readonly<Record<string, string>>;

/** Records each name that the package reads from an object of its caller. */
const recording = {
  name: "recording",
  setup: ({
    onLoad,
  }: {
    onLoad: (filter: { filter: RegExp }, load: (file: { path: string }) => object) => void;
  }) =>
    onLoad({ filter: /own-options\.ts$/ }, ({ path }) => ({
      loader: "ts",
      contents: `${readFileSync(path, "utf8").replaceAll("isOwn(options, name)", "(readNames.add(name), isOwn(options, name))")}
        const readNames: Set<PropertyKey> = ((globalThis as any).readNames ??= new Set());`,
    })),
};

/** Variables that the package, Node and undici read, and properties that undici and `fetch` read. */
const foreignNames = [
  ..."TEMPLATE_PDF_BASE_URL TEMPLATE_PDF_API_KEY HTTP_PROXY http_proxy HTTPS_PROXY https_proxy NO_PROXY".split(
    " ",
  ),
  ..."NODE_TLS_REJECT_UNAUTHORIZED ca rejectUnauthorized socketPath servername query upgrade redirect".split(
    " ",
  ),
];

beforeAll(async () => {
  const script = join(folder.path, "program.cjs");
  await bundleSource('import "./test/options/pollution/program.ts";', script, {
    format: "cjs",
    define: { "import.meta.url": JSON.stringify(pathToFileURL(join(root, "src/index.ts")).href) },
    external: ["msw", "pdfjs-dist", "bullmq", "ioredis", "pdfmake", "prettier"],
    // The program exports nothing, and package.json says that such an import has no effect.
    ignoreAnnotations: true,
    mainFields: ["module", "main"],
    plugins: [recording as never],
    alias: { "#platform": "./src/platform/node.ts", "#sockets": "./src/testing/sockets/node.ts" },
    logLevel: "error",
  });
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/proxy|^NODE_|^VITEST|^TEMPLATE_PDF/i.test(name),
  );
  program = fork(script, {
    cwd: folder.path,
    env: { ...Object.fromEntries(inherited), NODE_PATH: join(root, "node_modules"), NODE_NO_WARNINGS: "1" },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  ({ names, clean, stable } = await answer<Started>());
}, 60_000);
afterAll(() => {
  program.kill();
  folder.remove();
});

/** What the program sends next. */
async function answer<T>(): Promise<T> {
  const ended = once(program, "exit").then(([code]) =>
    Promise.reject(new Error(`The program ended with ${code}.`)),
  );
  const [message] = await Promise.race([once(program, "message"), ended]);
  ended.catch(() => {});
  return message;
}

async function differencesBy(pollution: Pollution): Promise<Differences> {
  program.send(pollution);
  return answer<Differences>();
}

describe("With a polluted Object.prototype, every public function", () => {
  it("is used in the same way each time", () => {
    expect(stable).toEqual(clean);
    expect(names).toEqual(
      expect.arrayContaining(["baseUrl", "apiKey", "fetch", "root", "everyMs", "authorize"]),
    );
  });

  it.each(Array.from({ length: variants }, (_, variant) => variant))(
    "ignores all options at once (kind %d of values)",
    { timeout: 60_000 },
    async (variant) => {
      expect(await differencesBy({ names: [...names, ...foreignNames], variant })).toEqual([]);
    },
  );

  slowestProperty(
    "ignores any of them",
    () =>
      fc.asyncProperty(
        fc.array(fc.nat(), { minLength: 1, maxLength: 30 }),
        fc.nat(variants - 1),
        async (picks, variant) => {
          const all = [...names, ...foreignNames];
          const picked = picks.map((pick) => all[pick % all.length] as string);
          const differences = await differencesBy({ names: [...new Set(picked)], variant });
          if (differences.length > 0) throw new Error(`${picked}: ${differences.join("\n")}`);
          return true;
        },
      ) as never,
  );
});
