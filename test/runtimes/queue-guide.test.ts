import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { makeProjectWith } from "../package/consumer.ts";
import { blocksOf } from "../support/blocks-of.ts";
import { start } from "../support/programs.ts";
import { startRedis } from "../support/redis-server.ts";
import { documentOf } from "./bulk/runs.ts";
import { ScriptedService } from "./scripted-service.ts";

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");

/** The example of the docstring requires these definitions. */
const assumed = `
  import { TemplatePdf } from "template-pdf";
  const pdfs = new TemplatePdf();
  const rows = [{ employee: "E-1" }, { employee: "E-2" }];
`;

const docstrings = [...read("src/queue/bulk-queue.ts").matchAll(/\* @example\n *\* ```ts\n(.*?)\n *\* ```/gs)]
  .map(([, code = ""]) => code.replace(/^ *\* ?/gm, ""))
  .filter((code) => code.includes("bulkQueue("))
  .map((code) => `${assumed}${code.replaceAll("/mnt/", "out/")}\nprocess.exit();`);

const project = makeProjectWith(["bullmq", "ioredis"], "queue-guide", {});

it.each(
  [...blocksOf(read("docs/guides/queues.md"), "js"), ...docstrings].map(
    (code, at) => [at + 1, code] as const,
  ),
)("example %d of queues runs with the packed package", async (_number, code) => {
  const redis = await startRedis();
  const service = await ScriptedService.start(({ response }) => response.end(documentOf({ n: 1, shelf: 1 })));
  onTestFinished(() => service.close());
  const file = join(project, "program.mjs");
  // `await using` requires Node 24.
  writeFileSync(
    file,
    code.replace("await using runs", "const runs") +
      (code.includes("await using") ? "\nawait runs.close();" : ""),
  );
  const env = { REDIS_URL: redis.url, TEMPLATE_PDF_BASE_URL: service.baseUrl, TEMPLATE_PDF_API_KEY: "key" };
  const { exitCode, printed } = await start(process.execPath, [file], { cwd: project, env }).ended;
  expect([exitCode, printed]).toEqual([0, expect.not.stringContaining("Error")]);
});
