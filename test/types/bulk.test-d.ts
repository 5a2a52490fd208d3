import { type Bytes, type PendingPdf, type Saved, TemplatePdf, template } from "template-pdf";
import {
  type BulkSummary,
  folder,
  type GenerateManyOptions,
  generateMany,
  type Job,
  type Result,
  runBulk,
  type Sink,
} from "template-pdf/bulk";
import { expectTypeOf } from "vitest";
import * as z from "zod";

interface Invoice {
  date: string;
}
/** Jobs can be interfaces. */
interface Order extends Job {
  template: "label";
  values: { copies: number };
  orderId: bigint;
}

const untyped = new TemplatePdf();
const typed = new TemplatePdf<{ inv: Invoice; label: Order["values"] }>();
const parcel = template("parcel", z.object({ weight: z.coerce.number<string>() }));
declare const invoices: Invoice[];
declare const jobs: Job[];
declare const orders: AsyncIterable<Order>;

// Without a map, jobs accept any uid and any object.
generateMany(untyped, jobs);
// @ts-expect-error: values are an object
generateMany(untyped, [{ template: "anything", values: "text" }]);
// @ts-expect-error: the run decides when a document is retried
generateMany(untyped, [{ template: "anything", values: {}, options: { retry: false } }]);

// With a map, the values of each job have the type for its uid.
generateMany(typed, [
  { template: "inv", values: { date: "" } },
  { template: "label", values: { copies: 1 } },
  // @ts-expect-error: the values are those of another template
  { template: "label", values: { date: "" } },
]);
const apart = invoices.map((values) => ({ template: "inv" as const, values }));
generateMany(typed, new Set(apart));
// @ts-expect-error: the uid of a `Job` can be any string
generateMany(typed, jobs);

// The values of a template are the input of its schema, for any client.
generateMany(typed, [{ template: parcel, values: { weight: "1" } }]);
// @ts-expect-error: this is the output of the schema
generateMany(typed, [{ template: parcel, values: { weight: 1 } }]);

// A result has the job and the return value of `use`.
export async function results(): Promise<void> {
  for await (const result of generateMany(typed, orders)) {
    expectTypeOf(result).toEqualTypeOf<Result<Order, Bytes>>();
    if (result.status === "fulfilled") expectTypeOf(result.value).toEqualTypeOf<Bytes>();
    else expectTypeOf(result.error).toEqualTypeOf<unknown>();
  }
  const saved = generateMany(typed, [{ template: "inv", values: { date: "" }, row: 7 }], {
    use: (pdf, job, { index, attempt }) => pdf.saveTo(`${job.row + index + attempt}.pdf`),
  });
  for await (const { job, value } of saved) {
    expectTypeOf(job.template).toEqualTypeOf<"inv">();
    expectTypeOf(value).toEqualTypeOf<Saved | undefined>();
  }
  const options: GenerateManyOptions<Order, number> = { use: () => 7, concurrency: "auto", perSecond: 0.5 };
  generateMany(typed, orders, options);
  // @ts-expect-error: only `runBulk` has a journal
  generateMany(typed, orders, { journal: "run.journal" });
}

// In a run with a journal, every callback receives the job.
export async function runs(): Promise<void> {
  const needed = { client: typed, journal: "run.journal" };
  const sink: Sink<Order> = { put: (_key, pdf, { job }) => pdf.saveTo(`${job.orderId}.pdf`) };
  const summary = await runBulk({
    ...needed,
    jobs: orders,
    key: ({ orderId }) => String(orderId),
    sink: {
      async put(key, pdf, { job, signal }) {
        const received = [key, pdf, job, signal] as const;
        expectTypeOf(received).toEqualTypeOf<readonly [string, PendingPdf, Order, AbortSignal]>();
      },
    },
    onResult: ({ job, key, status }) => {
      expectTypeOf({ job, key }).toEqualTypeOf<{ job: Order; key: string | undefined }>();
      expectTypeOf(status).toEqualTypeOf<"fulfilled" | "rejected" | "skipped">();
    },
  });
  expectTypeOf(summary).toEqualTypeOf<BulkSummary>();
  await runBulk({ ...needed, jobs: apart, sink: folder("out/{{date}}.pdf"), key: (job) => job.values.date });
  // @ts-expect-error: a value has the wrong type
  await runBulk({ ...needed, jobs: [{ template: "inv", values: { date: 7 } }], sink: folder("a.pdf") });
  // @ts-expect-error: a key is a string or a number
  await runBulk({ ...needed, jobs: orders, sink, key: (job) => job.orderId });
  // @ts-expect-error: a run needs a journal
  await runBulk({ client: typed, jobs: orders, sink });
}

folder((job: Order) => `${job.orderId}.pdf`, { root: "out" });
// @ts-expect-error: a path is a string
folder((job: Order) => job.orderId);
