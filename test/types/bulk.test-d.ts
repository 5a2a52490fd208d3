// Checked by the compiler, never run: every line below a `@ts-expect-error` has to be an error.

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
interface Label {
  copies: number;
}

const untyped = new TemplatePdf();
const typed = new TemplatePdf<{ inv: Invoice; label: Label }>();
const invoice = template<Invoice, "inv">("inv");
const parcel = template("parcel", z.object({ weight: z.coerce.number<string>() }));
declare const invoices: Invoice[];
declare const rows: { [column: string]: string }[];
declare const anyUid: string;

// Without a map, any uid and any object will do.
generateMany(untyped, [{ template: "anything", values: { a: 1 } }]);
generateMany(untyped, [{ template: anyUid, values: rows }]);
generateMany(
  untyped,
  rows.map((values) => ({ template: "anything", values })),
);
declare const jobs: Job[];
generateMany(untyped, jobs);
// @ts-expect-error: values are an object
generateMany(untyped, [{ template: "anything", values: "text" }]);
// @ts-expect-error: values cannot be missing
generateMany(untyped, [{ template: "anything" }]);
// @ts-expect-error: a uid is a string
generateMany(untyped, [{ template: 7, values: {} }]);
// @ts-expect-error: the options of a call have no such member
generateMany(untyped, [{ template: "anything", values: {}, options: { timeout: 5 } }]);
// @ts-expect-error: the run decides when a document is asked for again
generateMany(untyped, [{ template: "anything", values: {}, options: { retry: false } }]);
// @ts-expect-error: a text is no source of jobs
generateMany(untyped, "text");

// With a map, each job's values belong to its uid, with `as const` and without.
generateMany(typed, [
  { template: "inv", values: { date: "" } },
  { template: "label", values: { copies: 1 } },
]);
generateMany(
  typed,
  invoices.map((values) => ({ template: "inv", values })),
);
const apart = invoices.map((values) => ({ template: "inv" as const, values }));
generateMany(typed, apart);
// @ts-expect-error: there is no such uid
generateMany(typed, [{ template: "invoice", values: { date: "" } }]);
// @ts-expect-error: any string is no uid of the map
generateMany(typed, [{ template: anyUid, values: { date: "" } }]);
// @ts-expect-error: nor are the jobs of any client
generateMany(typed, jobs);
// @ts-expect-error: a value is missing
generateMany(typed, [{ template: "inv", values: {} }]);
// @ts-expect-error: a value has the wrong type
generateMany(typed, [{ template: "inv", values: { date: 7 } }]);
// @ts-expect-error: the values are those of another template
generateMany(typed, [{ template: "label", values: { date: "" } }]);
generateMany(typed, [
  { template: "inv", values: { date: "" } },
  // @ts-expect-error: so they are here, beside one that is right
  { template: "label", values: { date: "" } },
]);
const wrong = rows.map((values) => ({ template: "label" as const, values }));
// @ts-expect-error: a value is missing
generateMany(typed, wrong);

// Values of a `template()` are what goes into its schema, whatever the client.
generateMany(typed, [{ template: parcel, values: { weight: "1" } }]);
generateMany(untyped, [
  { template: parcel, values: { weight: "1" } },
  { template: "anything", values: {} },
  { template: invoice, values: { date: "" } },
]);
// @ts-expect-error: that is what comes out of it
generateMany(untyped, [{ template: parcel, values: { weight: 1 } }]);
// @ts-expect-error: that is what comes out of it
generateMany(typed, [{ template: parcel, values: { weight: 1 } }]);
declare const swapped: (
  | { template: typeof invoice; values: { weight: string } }
  | { template: typeof parcel; values: { weight: string } }
)[];
// @ts-expect-error: of two kinds of jobs, each has the values of its own
generateMany(untyped, swapped);

// Jobs come from anything that can be gone through, and may be of interfaces.
interface Order extends Job {
  template: "label";
  values: Label;
  orderId: bigint;
}
declare const orders: AsyncIterable<Order>;
generateMany(typed, orders);
generateMany(typed, new Set<Order>());
generateMany(typed, [] as readonly Order[]);
generateMany(
  typed,
  (function* () {
    yield { template: "inv", values: { date: "" } } as const;
  })(),
);
generateMany(
  typed,
  // @ts-expect-error: a value has the wrong type
  (async function* () {
    yield { template: "inv", values: { date: 7 } } as const;
  })(),
);

// The result holds the job as it was given, and what `use` makes of the document.
export async function results(): Promise<void> {
  for await (const result of generateMany(typed, orders)) {
    expectTypeOf(result).toEqualTypeOf<Result<Order, Bytes>>();
    expectTypeOf(result.job.orderId).toEqualTypeOf<bigint>();
    if (result.status === "fulfilled") expectTypeOf(result.value).toEqualTypeOf<Bytes>();
    else expectTypeOf(result.error).toEqualTypeOf<unknown>();
    // Only a fulfilled one has a value; and results can be taken apart.
    expectTypeOf(result.value).toEqualTypeOf<Bytes | undefined>();
    const { status, value, error } = result;
    if (status === "rejected") expectTypeOf([value, error]).toEqualTypeOf<unknown[]>();
    else expectTypeOf(value).toEqualTypeOf<Bytes>();
  }
  const saved = generateMany(typed, [{ template: "inv", values: { date: "" }, row: 7 }], {
    use: (pdf, job, { index, attempt, signal }) => {
      expectTypeOf(pdf).toEqualTypeOf<PendingPdf>();
      expectTypeOf(job.row).toEqualTypeOf<number>();
      expectTypeOf(job.values.date).toEqualTypeOf<string>();
      expectTypeOf([index, attempt]).toEqualTypeOf<number[]>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      return pdf.saveTo(`${job.row}.pdf`);
    },
  });
  for await (const result of saved) {
    expectTypeOf(result.job.template).toEqualTypeOf<"inv">();
    if (result.status === "fulfilled") expectTypeOf(result.value).toEqualTypeOf<Saved>();
  }
  const mixed = generateMany(typed, [
    { template: "inv", values: { date: "" } },
    { template: "label", values: { copies: 1 } },
  ]);
  for await (const { job } of mixed) {
    if (job.template === "inv") expectTypeOf(job.values.date).toEqualTypeOf<string>();
    else expectTypeOf(job.values.copies).toEqualTypeOf<number>();
  }
  const options: GenerateManyOptions<Order, number> = { use: () => 7, concurrency: "auto", perSecond: 0.5 };
  for await (const result of generateMany(typed, orders, options)) {
    if (result.status === "fulfilled") expectTypeOf(result.value).toEqualTypeOf<number>();
  }
  // @ts-expect-error: there is no such word
  generateMany(typed, orders, { concurrency: "automatic" });
  // @ts-expect-error: the results of a run with a journal go to its sink
  generateMany(typed, orders, { journal: "run.journal" });
}

// In a run with a journal, every callback sees the job.
export async function runs(): Promise<void> {
  const needed = { client: typed, journal: "run.journal" };
  const summary = await runBulk({
    ...needed,
    jobs: orders,
    key: ({ orderId }) => String(orderId),
    sink: {
      async put(key, pdf, { job, signal }) {
        expectTypeOf(key).toEqualTypeOf<string>();
        expectTypeOf(pdf).toEqualTypeOf<PendingPdf>();
        expectTypeOf(job).toEqualTypeOf<Order>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        await pdf.bytes();
      },
    },
    onResult: (result) => {
      expectTypeOf(result.job).toEqualTypeOf<Order>();
      expectTypeOf(result.key).toEqualTypeOf<string | undefined>();
      expectTypeOf(result.status).toEqualTypeOf<"fulfilled" | "rejected" | "skipped">();
    },
  });
  expectTypeOf(summary).toEqualTypeOf<BulkSummary>();
  await runBulk({ ...needed, jobs: apart, sink: folder("out/{{date}}.pdf"), key: (job) => job.values.date });
  await runBulk({ ...needed, jobs: apart, sink: folder("out/{{date}}.pdf") });
  await runBulk({
    ...needed,
    jobs: [
      { template: "inv", values: { date: "" }, place: "a" },
      { template: parcel, values: { weight: "1" }, place: "b" },
    ],
    key: (job) => job.place,
    sink: folder((job) => `${job.place}.pdf`),
  });
  const storage: Sink<Order> = { put: (_key, pdf, { job }) => pdf.saveTo(`${job.orderId}.pdf`) };
  await runBulk({ ...needed, jobs: orders, sink: storage, key: (job) => job.values.copies });
  await runBulk({ client: untyped, journal: "run.journal", jobs, sink: folder("out/{{n}}.pdf") });
  const { put } = storage;
  // @ts-expect-error: a value has the wrong type
  await runBulk({ ...needed, jobs: [{ template: "inv", values: { date: 7 } }], sink: { put } });
  // @ts-expect-error: there is no such uid
  await runBulk({ ...needed, jobs: [{ template: "x", values: { date: "" } }], sink: { put } });
  // @ts-expect-error: a key is a text or a number
  await runBulk({ ...needed, jobs: orders, sink: storage, key: (job) => job.orderId });
  // @ts-expect-error: a job has no such member
  await runBulk({ ...needed, jobs: orders, sink: storage, key: (job) => job.order });
  // @ts-expect-error: a run needs a journal
  await runBulk({ client: typed, jobs: orders, sink: storage });
}

// A path is made of whatever the jobs are; where their type is told, by that.
folder((job) => `${job.values.year}/${job.row}.pdf`);
folder((job: Order) => `${job.orderId}.pdf`, { root: "out" });
// @ts-expect-error: a job has no such member
folder((job: Order) => `${job.order}.pdf`);
// @ts-expect-error: a path is a text
folder((job: Order) => job.orderId);
