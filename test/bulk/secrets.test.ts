import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import type { TemplatePdf } from "template-pdf";
import { type BulkResult, folder, runBulk } from "template-pdf/bulk";
import { expect, it } from "vitest";
import { expectSafe, secretValues, spellings, trickyKey, values } from "../client/canaries.ts";
import { type Answer, rejectionOf, Service, saying, withLength } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { small } from "./many.ts";

/** Error responses that repeat the API key and the body of the request. */
const errorResponses: readonly Answer[] = [400, 401, 404, 422, 429, 500, 503].map(
  (status) =>
    ({ response, headers, body }) =>
      response
        .writeHead(status)
        .end(JSON.stringify({ error: { message: `${headers.authorization} ${body}` } })),
);
const broken: readonly Answer[] = [
  ({ response, body }) => response.writeHead(200, { "content-length": 5000 }).write(`%PDF-1.7 ${body}`),
  ({ socket }) => socket.destroy(),
  ({ response, body }) => response.writeHead(200, { "content-type": "text/html" }).end(`<h1>${body}</h1>`),
];

function expectNothingSecretIn(text: string): void {
  for (const secret of [trickyKey, ...secretValues].flatMap(spellings)) expect(text).not.toContain(secret);
  expect(text).not.toMatch(/CANARY|C4N4RY/);
}

const answers = [...errorResponses, ...broken, saying(400), withLength(small)];

/** Sends the response whose index is the value `n`. */
const answerByIndex: Answer = (received) => {
  const answer = answers[Number(JSON.parse(received.body).n)];
  if (answer === broken[0]) setTimeout(() => received.socket.destroy());
  return (answer ?? saying(400))(received);
};

const row = (n: unknown, more: object = {}) => ({ template: "t", values: { ...values, n, ...more } });

/** A job for each response, and jobs whose path, values, template or shape is wrong. All but one will fail. */
function failingJobs() {
  const circular: Record<string, unknown> = { ...values, n: "circular" };
  circular["self"] = circular;
  const thrower = {
    toJSON: () => {
      throw new Error(values.customer);
    },
  };
  const names = [0, `../${values.customer}`, `${values.customer}\0`, values.customer.repeat(20), ""];
  return [
    ...[...answers.keys(), ...names].map((n) => row(n)),
    ...[row("bigint", { big: 7n }), row("thrower", { thrower })],
    { template: "t", values: circular },
    { template: "t", values: [values.customer] },
    { template: `t/${"x".repeat(3)}`, values: row("uid").values },
    ...([{ values: row(0).values }, values, values.customer] as never[]),
  ];
}

it("a run's errors, summary and files never contain the API key or template values", async () => {
  const service = await Service.start(answerByIndex);
  const at = temporaryFolder();
  const jobs = failingJobs();
  const results: BulkResult<unknown>[] = [];
  const summary = await runBulk({
    client: service.client({ apiKey: trickyKey }) as TemplatePdf,
    jobs,
    sink: folder("out/{{n}}.pdf", { root: at }),
    journal: join(at, "run.journal"),
    retry: { limit: 0 },
    concurrency: 30,
    onResult: (result) => results.push(result as BulkResult<unknown>),
  });
  const rejected = results.flatMap((result) => (result.status === "rejected" ? [result.error] : []));
  expect(rejected).toHaveLength(jobs.length - 1);
  for (const error of rejected) expectSafe(error, trickyKey);
  expectNothingSecretIn(inspect(summary, { depth: 10 }));
  expectNothingSecretIn(JSON.stringify(summary));
  expect((await readdir(at)).sort()).toEqual(["out", "run.journal"]);
  expectNothingSecretIn(await readFile(join(at, "run.journal"), "latin1"));
});

it("the error and the lock file of a stopped run do not contain the API key or template values", async () => {
  const service = await Service.start(errorResponses[3] as Answer);
  const at = temporaryFolder();
  const client = service.client({ apiKey: trickyKey }) as TemplatePdf;
  const jobs = Array.from({ length: 9 }, (_, n) => ({ template: "t", values: { ...values, n } }));
  let lock = "";
  const sink = {
    put: async (_key: string, pdf: { bytes(): Promise<unknown> }) => {
      lock ||= await readFile(join(at, "run.journal.lock"), "utf8");
      await pdf.bytes();
    },
  };
  const options = { client, jobs, stopAfter: 2, concurrency: 1 };
  const key = ({ values: { n } }: { values: { n: number } }) => `${values.customer} ${n}`;
  const stopped = runBulk({ ...options, sink, key, journal: join(at, "run.journal") });
  const error = (await rejectionOf(stopped)) as Error;
  expect(error.name).toBe("RunStoppedError");
  expectSafe(error, trickyKey);
  expect(lock).toContain(`"pid":${process.pid}`);
  expectNothingSecretIn(lock);
});
