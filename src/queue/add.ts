import { FailureGroups } from "../bulk/failure-groups.ts";
import type { Job, Jobs } from "../bulk/index.ts";
import { checkJob, keyTextOf } from "../bulk/job.ts";
import { JobSource } from "../bulk/job-source.ts";
import { callSafely } from "../errors/foreign-values.ts";
import { ConfigurationError, ValuesError } from "../index.ts";
import { checkUid } from "../request/endpoint.ts";
import { ownTemplate, serializeChecked } from "../request/schema.ts";
import { nextLoopTurn, stepsPerTurn } from "../runtime/timers.ts";
import { untilAborted } from "../runtime/until-aborted.ts";
import type { AddOptions, AddSummary } from "./add-options.ts";
import type { OpenQueue } from "./open-queue.ts";
import { QueueError } from "./queue-error.ts";
import { inputText, type JobCodec, jobIdOf, type QueuedContent, type RunReference } from "./queued-job.ts";
import { redisError } from "./redis-error.ts";
import type { Registered } from "./run-scripts.ts";
import { RunningAdd } from "./running-add.ts";

/** The number of jobs or bytes at which a batch is sent to Redis. */
const batchJobs = 500;
const batchBytes = 4_194_304;

const defaultMaxJobBytes = 1_048_576;

/** A valid job, ready for Redis. */
interface Prepared {
  readonly id: string;
  readonly digest: string;
  readonly input: string;
  readonly content: QueuedContent;
}

/** Adds the jobs of one `add` call. */
export class Adder {
  readonly #open: OpenQueue;
  readonly #codec: JobCodec;
  // biome-ignore lint/suspicious/noExplicitAny: the job types have already been checked.
  readonly #options: AddOptions<any>;
  readonly #counts = { added: 0, known: 0, invalid: 0 };
  /** Why jobs were not added, because the run has them with different values. */
  readonly #conflicts = new Map<Registered, { readonly first: number; count: number }>();
  readonly #failures = new FailureGroups();

  constructor(
    open: OpenQueue,
    codec: JobCodec,
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    options: AddOptions<any>,
  ) {
    this.#open = open;
    this.#codec = codec;
    this.#options = options;
  }

  async add(run: string, jobs: Jobs<Job>): Promise<AddSummary> {
    const { runs } = this.#open;
    const { signal, onProgress } = this.#options;
    const source = new JobSource(jobs);
    let adding: RunningAdd | undefined;
    try {
      signal?.throwIfAborted();
      const running = await this.#orAborted(RunningAdd.start(runs, this.#codec, run));
      adding = running;
      let batch: Prepared[] = [];
      let bytes = 0;
      let sending: Promise<void> | undefined;
      // The next batch is prepared while Redis stores this one.
      const send = async () => {
        const ready = batch;
        batch = [];
        bytes = 0;
        await sending;
        sending = this.#orAborted(this.#send(running, ready)).then(() => onProgress?.({ ...this.#counts }));
        // The next await reports its error.
        sending.catch(() => {});
      };
      for (let index = 0; ; index++) {
        const { done, value } = await source.next();
        // Invalid jobs send nothing, and must not keep timers and signals waiting.
        if (index % stepsPerTurn === stepsPerTurn - 1) await nextLoopTurn();
        signal?.throwIfAborted();
        if (done) break;
        const prepared = await this.#prepare(running.run, value, index);
        if (!prepared) continue;
        batch.push(prepared.job);
        bytes += prepared.bytes;
        if (batch.length >= batchJobs || bytes >= batchBytes) await send();
      }
      await send();
      await sending;
      await this.#orAborted(running.complete());
    } catch (error) {
      const failure = redisError(error);
      adding?.fail(failure);
      throw failure;
    } finally {
      source.close();
    }
    const [conflict] = this.#conflicts;
    if (conflict) throw conflictError(run, ...conflict);
    return { ...this.#counts, failures: this.#failures.all };
  }

  /** Redis may not respond, so the signal does not wait for it. */
  #orAborted<T>(work: Promise<T>): Promise<T> {
    return untilAborted(work, this.#options.signal);
  }

  /** Checks a job. Invalid jobs are only counted. */
  async #prepare(
    run: RunReference,
    job: Job,
    index: number,
  ): Promise<{ readonly job: Prepared; readonly bytes: number } | undefined> {
    try {
      const content = await contentOf(job, index, this.#options.key);
      const text = JSON.stringify(content);
      const bytes = Buffer.byteLength(text);
      const { maxJobBytes = defaultMaxJobBytes } = this.#options;
      if (bytes > maxJobBytes) throw tooLarge(content, bytes, maxJobBytes);
      // Serialized and parsed, so that it shares nothing with the caller. The values are a copy already.
      const isCopy = Object.keys(content.job).length === 2;
      const copy: QueuedContent = isCopy ? content : JSON.parse(text);
      const inputOf = inputText(copy.job);
      const digest = this.#codec.digestOf(run, "key", copy.key ?? inputOf);
      const input = this.#codec.digestOf(run, "input", inputOf);
      return { job: { id: jobIdOf(run.id, digest), digest, input, content: copy }, bytes };
    } catch (error) {
      this.#counts.invalid++;
      this.#failures.add(error, index);
      return undefined;
    }
  }

  /** The time until the jobs may begin. */
  get #delayMs(): number {
    return Math.max(0, (this.#options.notBefore?.getTime() ?? 0) - Date.now());
  }

  async #send(adding: RunningAdd, batch: readonly Prepared[]): Promise<void> {
    const { queue, records } = this.#open;
    const { run } = adding;
    const found = await adding.register(batch.map(({ digest, input }) => [digest, input]));
    const missing = batch.filter((_, at) => isMissing(found[at]));
    const delay = this.#delayMs;
    const bulk = missing.map(async ({ id, input, content }) => ({
      name: run.name,
      data: await this.#codec.encode(run, id, input, content),
      opts: { jobId: id, priority: priorityOf(content), ...(delay > 0 && { delay }) },
    }));
    await queue.addBulk(await Promise.all(bulk));
    await adding.check().catch(async (error) => {
      await records.remove(missing.map(({ id }) => id));
      throw error;
    });
    found.forEach((state, at) => {
      if (isMissing(state)) this.#counts.added++;
      else if (isConflict(state)) this.#addConflict(state, batch[at]?.content.index ?? 0);
      else this.#counts.known++;
    });
  }

  #addConflict(state: Registered, index: number): void {
    const conflict = this.#conflicts.get(state);
    if (conflict) conflict.count++;
    else this.#conflicts.set(state, { first: index, count: 1 });
  }
}

/** The lowest priority of BullMQ. */
const lowestPriority = 2 ** 21 - 1;

/** Runs take turns: the job with the lowest index goes first. */
function priorityOf({ index }: QueuedContent): number {
  return Math.min(index + 1, lowestPriority);
}

/** @throws an error that says what is wrong with the job */
async function contentOf(job: Job, index: number, keyOf: AddOptions<unknown>["key"]): Promise<QueuedContent> {
  const { template, values, options } = checkJob(job, index);
  if (options !== undefined) {
    throw new ConfigurationError(
      "A queued job cannot have `options`, because they may contain secrets. Set them on the worker's client.",
    );
  }
  const { uid, schema } =
    typeof template === "string" ? { uid: template, schema: undefined } : ownTemplate(template);
  checkUid(uid);
  const checked = JSON.parse(await serializeChecked({ uid, schema }, values));
  const { options: _none, ...own } = job;
  const content = { job: { ...own, template: uid, values: checked }, index };
  if (!keyOf) return content;
  const given = keyOf(job);
  const key = keyTextOf(given);
  // The promise of an asynchronous function may reject.
  if (key === undefined) callSafely(() => given);
  if (key === undefined) throw new ConfigurationError("Expected the job key to be a string or a number.");
  return { ...content, key };
}

function tooLarge({ job }: QueuedContent, bytes: number, maxBytes: number): ValuesError {
  const message = `the job is ${bytes} bytes long, which exceeds the limit of ${maxBytes}. Raise \`maxJobBytes\`, or pass a reference to large values`;
  return new ValuesError(
    `The values for template ${JSON.stringify(job.template)} cannot be queued: ${message}.`,
    {
      issues: [{ path: [], message }],
      uid: job.template,
    },
  );
}

/** Whether a job must be queued. */
function isMissing(state: Registered | undefined): boolean {
  return state === "new" || state === "missing";
}

/** Whether the run has a job with the same key, but with different values that cannot be replaced. */
function isConflict(state: Registered): boolean {
  return state === "other values" || state === "failing";
}

function conflictError(
  run: string,
  state: Registered,
  { first, count }: { readonly first: number; readonly count: number },
): QueueError {
  const jobs = count === 1 ? `Job ${first} has` : `${count} jobs, the first of them job ${first}, have`;
  const what = `${jobs} the same key as a job with different values in run ${JSON.stringify(run)}`;
  const next =
    state === "failing"
      ? "A worker is still processing the earlier values. Add the same jobs again later."
      : "To generate the new values, add them under another run name.";
  return new QueueError(`${what}. ${next} All other jobs were added.`);
}
