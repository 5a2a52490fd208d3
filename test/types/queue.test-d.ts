import { TemplatePdf, template } from "template-pdf";
import { type BulkSummary, folder } from "template-pdf/bulk";
import { bulkQueue, type QueueFailure, type QueueProgress, type QueueResult } from "template-pdf/queue";
import { expectTypeOf } from "vitest";
import * as z from "zod";

const connection = new URL("redis://localhost");
const runs = bulkQueue<{ invoice: { total: string } }>({ connection, name: "a" });
const client = new TemplatePdf();

// The values of a job have the type for its template. A job can have other properties.
runs.add("run", [{ template: "invoice", values: { total: "1" }, row: 7 }], {
  key: (job) => expectTypeOf(job.row).toEqualTypeOf<number>() && job.row,
});
runs.add("run", [{ template: template("letter", z.object({ to: z.string() })), values: { to: "Ann" } }]);
// @ts-expect-error: the total is a string
runs.add("run", [{ template: "invoice", values: { total: 1 } }]);

const worker = runs.work<{ template: "invoice"; values: { total: string }; row: number }>({
  client,
  sink: folder((job) => `${job.values.total}.pdf`),
  onResult: (result) => expectTypeOf(result.job.row).toEqualTypeOf<number>(),
});
expectTypeOf(worker.done).toEqualTypeOf<Promise<void>>();
expectTypeOf(worker.close()).toEqualTypeOf<Promise<BulkSummary>>();
expectTypeOf<QueueResult<{ row: number }>["run"]>().toEqualTypeOf<string>();
expectTypeOf(runs.failures("run")).toEqualTypeOf<Promise<QueueFailure[]>>();
expectTypeOf(runs.progress("run")).toEqualTypeOf<AsyncGenerator<QueueProgress, void, undefined>>();
// @ts-expect-error: a worker needs a sink
runs.work({ client });
