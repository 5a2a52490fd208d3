import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startEmulator } from "../../src/emulator/index.ts";
import { consumer, makeProject } from "../package/consumer.ts";
import { readPdf } from "../support/pdf-text.ts";
import { hasSignals } from "../support/platform.ts";
import { startProgramIn } from "./bulk-examples/programs.ts";
import { breakOff, refuse, ScriptedService, staySilent } from "./scripted-service.ts";

/** The single files of examples/, started as their table says, in a project that has installed the packed package. */

const repository = fileURLToPath(new URL("../..", import.meta.url));
const examples = join(repository, "examples");
const readme = readFileSync(join(examples, "README.md"), "utf8");

/** The cells of each row that begins with a link. */
const rows = [...readme.matchAll(/^\| \[[^\]]+\]\(([^)]+)\) \| (.*) \|$/gm)].map(
  ([, path = "", cells = ""]) => {
    const [, command] = /`(\w+ [^`]+)`/.exec(cells.split(" | ")[1] ?? "") ?? [];
    return { path, command: command ?? "" };
  },
);

/** How the table says that a file is started. */
const commandOf = (file: string) => rows.find(({ path }) => path === file)?.command.split(" ") ?? [];

const service = new ScriptedService();
let emulator: Awaited<ReturnType<typeof startEmulator>>;
let project: string;

beforeAll(async () => {
  project = makeProject("example-files", { "package.json": "{}" });
  mkdirSync(join(project, "node_modules"));
  for (const name of ["zod", "csv-parse"])
    symlinkSync(join(repository, "node_modules", name), join(project, "node_modules", name), "junction");
  for (const { path } of rows.filter(({ path }) => /\.\w+$/.test(path)))
    cpSync(join(examples, path), join(project, "examples", path));
  cpSync(join(examples, "bulk/rows.csv"), join(project, "examples/bulk/rows.csv"));
  // For Node 20, which runs no TypeScript.
  const typed = readFileSync(join(examples, "typed-with-zod.ts"), "utf8");
  const { code } = transformSync(typed, { loader: "ts", target: "es2022" });
  writeFileSync(join(project, "examples/typed-with-zod.mjs"), code);
  await service.start();
  emulator = await startEmulator({ templates: join(examples, "templates"), limits: { threads: 1 } });
});

afterAll(async () => {
  await service.stop();
  await emulator.close();
});

/** Starts what a reader would type. */
function start(words: readonly string[], from: { baseUrl: string; apiKey?: string }, more = {}) {
  const settings = {
    TEMPLATE_PDF_BASE_URL: from.baseUrl,
    TEMPLATE_PDF_API_KEY: from.apiKey ?? "key",
    ...more,
  };
  return startProgramIn(project, words, join(consumer, "node_modules/.bin"), settings);
}

/** The first lines that it prints, on both its streams, once there are so many. */
async function printedLines(
  { child, ended, soFar }: ReturnType<typeof start>,
  count: number,
): Promise<string[]> {
  for (;;) {
    const lines = soFar().split("\n").slice(0, -1);
    if (lines.length >= count) return lines;
    const more = [child.stdout, child.stderr].map((stream) => stream && once(stream, "data"));
    const outcome = await Promise.race([ended, ...more]);
    if (outcome && "exitCode" in outcome) throw new Error(outcome.printed);
  }
}

const textOf = async (file: string) => (await readPdf(readFileSync(join(project, file)))).text;

describe("the table of the examples", () => {
  it("has each file and each folder, and each stands there", () => {
    const listed = rows.map(({ path }) => path);
    const own = ["README.md", "bulk", "fonts", "templates", "values"];
    const there = [
      ...readdirSync(examples).filter((name) => !own.includes(name)),
      ...readdirSync(join(examples, "bulk"))
        .filter((name) => name.endsWith("-run.mjs"))
        .map((name) => `bulk/${name}`),
    ];
    expect(listed.toSorted()).toEqual(there.toSorted());
  });

  it.each(rows.filter(({ path }) => /\.(?:mjs|ts|sh)$/.test(path) && path !== "demo.mjs"))(
    "starts $path as its first lines do",
    ({ path, command }) => {
      const [, told] =
        /^(?:\/\/|#) {3}((?:node|sh) \S+(?: [\w./-]+)*)/m.exec(readFileSync(join(examples, path), "utf8")) ??
        [];
      expect(command).not.toBe("");
      expect(told).toBe(command);
    },
  );

  it.each(rows.filter(({ path }) => !/\.\w+$/.test(path)))(
    "starts $path by a script of it, which has this version of ours",
    ({ path, command }) => {
      const manifestIn = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const { scripts, dependencies, devDependencies } = manifestIn(join(examples, path));
      const needs = { ...dependencies, ...devDependencies };
      expect(needs["template-pdf"]).toBe(`^${manifestIn(repository).version}`);
      expect(Object.keys(scripts)).toContain(/^npm (?:run )?(\w+)$/.exec(command)?.[1]);
    },
  );
});

describe("examples/save-to-file.mjs", () => {
  it("saves an invoice; with a wrong key it says so, and leaves no file", async () => {
    const words = commandOf("save-to-file.mjs");
    const [good, bad] = await Promise.all([
      start(words, emulator).ended,
      start([...words.slice(0, -1), "none.pdf"], { baseUrl: emulator.baseUrl, apiKey: "wrong" }).ended,
    ]);
    const { length } = readFileSync(join(project, "invoice.pdf"));
    expect(good).toEqual({ exitCode: 0, printed: `invoice.pdf: ${length} bytes\n` });
    expect(await textOf("invoice.pdf")).toContain("Εκδόσεις Αθηνά");
    expect(bad.exitCode).toBe(1);
    expect(bad.printed).toMatch(/^[^\n]*401[^\n]*\n$/);
    expect(existsSync(join(project, "none.pdf"))).toBe(false);
  });
});

describe("examples/typed-with-zod.ts", () => {
  it("makes what fits, and says of the rest why it was not sent", async () => {
    const words = commandOf("typed-with-zod.ts").map((word) => word.replace(/\.ts$/, ".mjs"));
    const { exitCode, printed } = await start(words, emulator).ended;
    expect({ exitCode, lines: printed.trim().split("\n") }).toEqual({
      exitCode: 0,
      lines: [
        expect.stringMatching(/^typed\.pdf: \d+ bytes$/),
        expect.stringMatching(/^not sent: total: .*expected number/),
        "not sent: number: Write it as 2026-0117.",
      ],
    });
    expect(await textOf("typed.pdf")).toContain("£640.00");
  });
});

describe("examples/many-from-csv.mjs", () => {
  it("makes a document of every row, and goes on behind one that is wrong", async () => {
    const head = "number;date;total\n";
    writeFileSync(join(project, "wrong.csv"), `${head}1;today;£1.00\n../2;today;£2.00\n3;today;£3.00\n`);
    const words = commandOf("many-from-csv.mjs");
    const [good, bad] = await Promise.all([
      start(words, emulator).ended,
      start([...words.slice(0, 2), "wrong.csv", "some"], emulator).ended,
    ]);
    expect(good.exitCode).toBe(0);
    const numbers = ["2026-0117", "2026-0118", "2026-0119"];
    expect(good.printed.trim().split("\n").sort()).toEqual(
      numbers.map((number) => expect.stringMatching(`^invoices/${number}\\.pdf: \\d+ bytes$`)),
    );
    expect(await textOf("invoices/2026-0118.pdf")).toContain("Łoś; Brönte & Partners");
    expect(bad.exitCode).toBe(1);
    expect(bad.printed).toContain("line 3: its number makes no file name\n");
    expect(readdirSync(join(project, "some"))).toEqual(["1.pdf", "3.pdf"]);
  });
});

describe("examples/retry-and-cancel.mjs", () => {
  const words = commandOf("retry-and-cancel.mjs");

  it("shows each attempt", async () => {
    service.answer(refuse(503, { "retry-after": "0" }));
    const { exitCode, printed } = await start(words, service).ended;
    expect({ exitCode, printed }).toEqual({
      exitCode: 0,
      printed: expect.stringMatching(
        /^attempt 1\nserver_error: again in \d\.\d s\nattempt 2\nretried\.pdf: \d+ bytes\n$/,
      ),
    });
  });

  it.runIf(hasSignals)("leaves the service at Ctrl-C", async () => {
    service.answer(staySilent);
    const asked = service.nextCall();
    const { child, ended } = start(words, service);
    const { left } = await asked;
    child.kill("SIGINT");
    await left;
    expect(await ended).toEqual({ exitCode: 130, printed: "attempt 1\ncancelled\n" });
  });

  it("leaves the service at its deadline", async () => {
    service.answer(staySilent);
    const asked = service.nextCall();
    const { ended } = start([...words.slice(0, -1), "0.1"], service);
    await (await asked).left;
    const { exitCode, printed } = await ended;
    expect(exitCode).toBe(1);
    expect(printed).toMatch(/^attempt 1\n[^\n]*(?:100 ms|0\.1 s)[^\n]*\n$/);
  });
});

describe("examples/http-response.mjs", () => {
  let url: string;
  let server: ReturnType<typeof start>;

  const serveFrom = async (from: Parameters<typeof start>[1]) => {
    server = start(commandOf("http-response.mjs"), from, { PORT: "0" });
    url = (await printedLines(server, 1))[0] ?? "";
  };

  /** What it has printed behind its address when it is ended. */
  const logged = async () => {
    server.child.kill();
    return (await server.ended).printed.replace(`${url}\n`, "");
  };

  it("answers with the document", async () => {
    await serveFrom(emulator);
    const response = await fetch(url);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/pdf",
      "content-disposition": 'inline; filename="2026-0117.pdf"',
      "content-length": expect.stringMatching(/^\d+$/),
    });
    const { text } = await readPdf(new Uint8Array(await response.arrayBuffer()));
    expect(text).toContain("£640.00");
    expect((await fetch(url.replace("0117", "9999"))).status).toBe(404);
    expect(await logged()).toBe("");
  });

  it("makes an answer of what fails, which tells nothing of the service, and logs it", async () => {
    await serveFrom(service);
    service.answer(refuse(429, { "retry-after": "900" }), refuse(401, {}), breakOff);
    const busy = await fetch(url);
    expect([busy.status, busy.headers.get("retry-after")]).toEqual([503, "900"]);
    const failed = await fetch(url);
    expect([failed.status, await failed.text()]).toEqual([502, "The invoice could not be made.\n"]);
    const half = await fetch(url);
    await expect(half.arrayBuffer()).rejects.toThrow();
    const lines = await printedLines(server, 4);
    expect(lines.slice(1)).toEqual(
      [/answered 429/, /answered 401/, /cut off|broke/].map((said) => expect.stringMatching(said)),
    );
  });

  it("leaves the service when its caller leaves", async () => {
    await serveFrom(service);
    service.answer(staySilent);
    const asked = service.nextCall();
    const caller = new AbortController();
    const answer = fetch(url, { signal: caller.signal });
    const { left } = await asked;
    caller.abort();
    await expect(answer).rejects.toThrow();
    await left;
    expect((await fetch(url)).status).toBe(200);
    expect(await logged()).toBe("");
  });
});
