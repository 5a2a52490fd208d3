import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { TemplatePdf } from "template-pdf";
import { assertWholePdf } from "template-pdf/testing";
import ts from "typescript";
import { expect, it, onTestFinished } from "vitest";
import { nodeOf } from "../../scripts/runtimes.mjs";
import { complaintsAbout } from "../support/compile.ts";
import { startProgram } from "../support/programs.ts";
import { freePort } from "../support/redis-server.ts";
import { useWorkspace } from "./mocks/workspace.ts";

/** Runs tools that read OpenAPI documents with docs/openapi.yaml. */

const description = fileURLToPath(new URL("../../docs/openapi.yaml", import.meta.url));
const { folder } = useWorkspace(
  ...["openapi-typescript@7.13.0", "@hey-api/openapi-ts@0.99.0", "orval@8.38.0", "orval-7@npm:orval@7.13.2"],
  ...["typescript@5.9.3", "@stoplight/prism-cli@5.14.2"],
);
const inFolder = (path: string) => join(folder, path);

it.each<[tool: string, program: string, args: readonly string[], output: string]>([
  ["openapi-typescript", "openapi-typescript/bin/cli.js", [description, "-o", "ot.ts"], "ot.ts"],
  ["hey-api", "@hey-api/openapi-ts/bin/run.js", ["-i", description, "-o", "hey"], "hey/index.ts"],
  ["orval 8", "orval/dist/bin/orval.mjs", ["--input", description, "--output", "orval8.ts"], "orval8.ts"],
  ["orval 7", "orval-7/dist/bin/orval.js", ["--input", description, "--output", "orval7.ts"], "orval7.ts"],
])(
  "the code that %s generates from docs/openapi.yaml compiles",
  async (_, program, args, output) => {
    const client = program.startsWith("orval") ? ["--client", "fetch"] : [];
    await promisify(execFile)(nodeOf(22), [inFolder(`node_modules/${program}`), ...args, ...client], {
      cwd: folder,
    });
    expect(existsSync(inFolder(output))).toBe(true);
    const complaints = complaintsAbout([inFolder(output)], {
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
      types: [],
      // The generators do not claim to support these.
      exactOptionalPropertyTypes: false,
      noUncheckedIndexedAccess: false,
    });
    expect(complaints).toEqual([]);
  },
  120_000,
);

it("a mock server of Prism answers the client with a whole PDF", async () => {
  const port = await freePort();
  const prism = inFolder("node_modules/@stoplight/prism-cli/dist/index.js");
  const running = await startProgram(nodeOf(22), [prism, "mock", "-p", String(port), description], {
    cwd: folder,
    ready: /listening on http:\/\/127\.0\.0\.1:(\d+)/,
  });
  onTestFinished(() => running.stop());
  const pdfs = new TemplatePdf({ baseUrl: `http://127.0.0.1:${port}`, apiKey: "key-of-the-tests" });
  onTestFinished(() => pdfs.close());
  assertWholePdf(await pdfs.generate("inv_2024", { total: "£1" }).bytes());
}, 120_000);
