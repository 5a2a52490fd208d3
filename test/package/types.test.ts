import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { inOneOrder, mistakes, prelude } from "../types/mistakes.ts";
import { makeProject, runNode } from "./consumer.ts";

/** All that the types are meant for. */
const compilers = ["5.4.5", "5.5.4", "5.6.3", "5.7.3", "5.8.3", "5.9.3", "6.0.3", "7.0.2"];

/** The oldest of them, and the newest: what holds in both of every project is not asked of those between. */
const outermost = ["5.4.5", "7.0.2"];

/** What is the same everywhere. */
const common = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  target: "ES2022",
};

const everywhere = `
  import { type Bytes, TemplatePdf, TemplatePdfError, template, type Values } from "template-pdf";

  const options = { baseUrl: "https://pdf.example.com", apiKey: async () => "key" };
  const client = new TemplatePdf(options);

  export async function anyUid(signal: AbortSignal): Promise<Bytes> {
    await using document = await client.generate("inv_2024", { total: "1" }, { signal });
    const answer: Response = document.response();
    for await (const chunk of client.generate("inv_2024", { total: "1" })) chunk satisfies Uint8Array;
    return answer.ok ? client.generate("inv_2024", {}).bytes() : document.bytes();
  }

  interface Invoice {
    total: string;
  }
  const typed = new TemplatePdf<{ inv_2024: Invoice }>(options);
  typed.generate("inv_2024", { total: "1" }).catch((error: unknown) => {
    if (TemplatePdfError.is(error)) error.code satisfies string;
  });
  // @ts-expect-error no such uid
  typed.generate("inv_2025", { total: "1" });
  // @ts-expect-error no such type
  typed.generate("inv_2024", { total: 1 });
  // @ts-expect-error no such option
  new TemplatePdf({ ...options, retires: 1 });
  const invoice = template<Invoice>("inv_2024");
  client.generate(invoice, { total: "1" });
  // @ts-expect-error no such type
  client.generate(invoice, { total: 1 });
  template("inv_2024").uid satisfies "inv_2024";
  export const values: Values<typeof invoice> & Values<"inv_2024", { inv_2024: Invoice }> = { total: "1" };
`;

const inNode = `
  import type { Readable } from "node:stream";
  import { TemplatePdf } from "template-pdf";
  import { startEmulator } from "template-pdf/emulator";

  export async function forms(client: TemplatePdf): Promise<Buffer> {
    const readable: Readable = await client.generate("inv_2024", {}).nodeStream();
    readable.destroy();
    // @ts-expect-error a stream, not any
    (await client.generate("inv_2024", {}).nodeStream()) satisfies string;
    const { path, bytes } = await client.generate("inv_2024", {}).saveTo(new URL("file:///invoice.pdf"));
    path satisfies string;
    bytes satisfies number;
    const emulator = await startEmulator({ templates: "templates" });
    await emulator.close();
    return client.generate("inv_2024", {}).buffer();
  }
`;

/** In a page, everything that is there for all must have a type of its own, too. */
const inPage = `
  import { TemplatePdf } from "template-pdf";

  export async function show(client: TemplatePdf): Promise<string> {
    const blob: Blob = await client.generate("inv_2024", {}).blob();
    const stream: ReadableStream<Uint8Array> = await client.generate("inv_2024", {}).stream();
    await stream.cancel();
    return URL.createObjectURL(blob);
  }
`;

/** Each with its kind of modules, its compiler options, and whether it has @types/node. */
const projects = {
  "a Node project of ES modules, without the types of pages": {
    type: "module",
    options: { module: "nodenext", lib: ["ES2022"], types: ["node"] },
    files: { "everywhere.ts": everywhere, "node.ts": inNode },
  },
  "a Node project of CommonJS modules": {
    type: "commonjs",
    options: { module: "nodenext", lib: ["ES2022"], types: ["node"] },
    files: { "everywhere.ts": everywhere, "node.ts": inNode },
  },
  "a bundled project with the types of both": {
    type: "module",
    options: { module: "esnext", moduleResolution: "bundler", lib: ["ES2022", "DOM"], types: ["node"] },
    files: { "everywhere.ts": everywhere, "node.ts": inNode, "page.ts": inPage },
  },
  "a project for pages, without @types/node": {
    type: "module",
    options: {
      module: "esnext",
      moduleResolution: "bundler",
      lib: ["ES2022", "DOM", "DOM.AsyncIterable"],
      types: [],
    },
    files: { "everywhere.ts": everywhere, "page.ts": inPage },
  },
} as const;

describe("the types", { timeout: 120_000 }, () => {
  let folder: string;

  beforeAll(async () => {
    folder = makeProject("compilers", { "package.json": "{}" });
    const aliases = compilers.map((version) => `typescript-${version}@npm:typescript@${version}`);
    const args = ["install", "--no-audit", "--no-fund", "--prefer-offline", ...aliases];
    await promisify(execFile)("npm", args, { cwd: folder, shell: process.platform === "win32" });
  }, 120_000);

  const tsc = (version: string) => join(folder, "node_modules", `typescript-${version}`, "bin", "tsc");

  for (const version of outermost) {
    it.concurrent.each(Object.entries(projects))(
      `compile with TypeScript ${version} in %s`,
      async (title, project) => {
        const { type, options, files } = project;
        const name = `${version}-${title.replaceAll(/\W+/g, "-")}`;
        const root = makeProject(options.types[0] ? `with-node-types/${name}` : name, {
          "package.json": JSON.stringify({ type }),
          "tsconfig.json": JSON.stringify({ compilerOptions: { ...common, ...options }, include: ["*.ts"] }),
          ...files,
        });
        if (options.types[0]) link(root, "@types/node");
        expect(await runNode(root, tsc(version), "--pretty", "false")).toBe("");
      },
    );
  }

  it.concurrent.each(compilers)(
    "refuse in TypeScript %s what is wrong, in words for its reader",
    async (version) => {
      const before = prelude.split("\n").length - 1;
      const root = makeProject(`mistakes-${version}`, {
        "package.json": JSON.stringify({ type: "module" }),
        "tsconfig.json": JSON.stringify({
          // The types of some schema libraries are too new for some of these.
          compilerOptions: { ...common, skipLibCheck: true, module: "nodenext", lib: ["ES2022"], types: [] },
          include: ["*.ts"],
        }),
        "mistakes.ts": prelude + mistakes.map(([code]) => code).join("\n"),
      });
      for (const name of ["zod", "zod-3", "valibot", "arktype"]) link(root, name);
      const said = await runNode(root, tsc(version), "--pretty", "false").catch(
        (error: Error) => error.message,
      );
      const found = [...said.matchAll(/^(\S+)\((\d+),\d+\): error TS\d+: (.*(?:\n {2}.*)*)/gm)].map(
        ([, file, line, message = ""]) => [file, Number(line) - before, lastOf(message.split("\n"))],
      );
      const expected = mistakes.map(([, ...message], at) => ["mistakes.ts", at + 1, lastOf(message)]);
      expect(found).toEqual(expected);
    },
  );
});

/** The line that tells most: the only one that all compilers print. */
function lastOf(message: readonly string[]): string {
  return inOneOrder(message.at(-1)?.trim() ?? "");
}

/** Gives a project what this repository has installed, and no other project. */
function link(project: string, name: string): void {
  const path = join(project, "node_modules", name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(fileURLToPath(new URL(`../../node_modules/${name}`, import.meta.url)), path, "junction");
}
