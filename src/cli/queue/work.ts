import { folder, type Job, RunStoppedError, type Sink } from "../../bulk/index.ts";
import { describeThrown } from "../../errors/foreign-values.ts";
import { TemplatePdfError } from "../../index.ts";
import { QueueError, type WorkOptions } from "../../queue/index.ts";
import { untilAborted } from "../../runtime/until-aborted.ts";
import { parseCount, parseRate } from "../bulk/plan.ts";
import { formatTimeSpan, parseDuration } from "../duration.ts";
import { Failure, Halted } from "../failure.ts";
import { showLive } from "../live-line.ts";
import { inspected, printable } from "../output.ts";
import { inWordsOfTerminal, lineOf } from "../report.ts";
import { openClient } from "../service-client.ts";
import { readServiceSettings } from "../service-settings.ts";
import type { Session } from "../terminal.ts";
import { openQueue, type QueueFlags, readQueueAccess } from "./queue-settings.ts";
import { WorkState } from "./work-state.ts";

/** Command-line options for `work`. */
export interface WorkFlags extends QueueFlags {
  readonly out: string;
  readonly concurrency?: string;
  readonly perSecond?: string;
  readonly recoverAfter?: string;
  readonly giveUpAfter?: string;
  readonly baseUrl?: string;
  readonly timeout?: string;
  readonly retry: boolean;
  readonly allowInsecureHttp?: boolean;
}

/**
 * Generates the documents for the jobs in a queue until the user stops the worker.
 *
 * @throws {Misuse} if the command line is invalid
 * @throws {Halted} if the worker stopped because of an error
 * @throws any error that the queue throws, or the abort reason of the session's signal
 */
export async function work(flags: WorkFlags, session: Session): Promise<void> {
  const { terminal, signal, isDebug } = session;
  const { stdout, stderr, env } = terminal;
  const { timeout = "600s" } = flags;
  const access = readQueueAccess(flags, env);
  const state = new WorkState();
  const options = readOptions(flags, state);
  const timeoutMs = parseDuration(timeout, "--timeout");
  const settings = await readServiceSettings(flags.baseUrl, terminal);
  const client = openClient(settings, timeoutMs, flags);
  const queue = openQueue(access);
  try {
    // Connects first, so that the worker starts only if Redis is reachable.
    await untilAborted(queue.runs(), signal);
    const ease = session.endInSteps();
    const live = showLive(stderr, env, (maxColumns) => state.textOf(maxColumns));
    const tell = (text: string, error: unknown) => {
      live.say(text);
      if (isDebug) for (const line of inspected(error).split("\n")) live.say(line);
    };
    let toldError: unknown;
    live.say(
      `waiting for jobs in the ${access.name} queue; press Ctrl-C to finish the documents in flight and stop`,
    );
    const worker = queue.work<Job>({
      ...options,
      ...{ client: client.with({ hooks: state.hooks }), signal },
      onResult: (result) => {
        state.take(result);
        const { status, error, run, index } = result;
        if (status === "rejected") tell(`run ${run}, job ${index}: ${lineOf(error)}`, error);
      },
      onOutage: (outage) => {
        const { isOver, error, durationMs } = outage;
        state.outages.take(outage, performance.now());
        if (isOver) live.say(`the service is available again after ${formatTimeSpan(durationMs)}`);
        else tell(`waiting for the service: ${lineOf(error)}`, error);
      },
      onError: (error) => {
        if (QueueError.is(error)) {
          // It may be the error that stops the worker.
          toldError = error;
          return tell(lineOf(error), error);
        }
        // It stops the worker, so `done` rejects with it.
        if (TemplatePdfError.is(error)) return;
        tell(`Redis: ${describeThrown(error)}. The worker resumes when Redis is available again.`, error);
      },
    });
    const onEase = () => {
      live.say(`${state.end()}; press Ctrl-C again to stop now`);
      // `done` rejects with the same error.
      worker.close().catch(() => {});
    };
    ease.addEventListener("abort", onEase);
    try {
      await worker.done;
    } catch (error) {
      throw endingOf(error, QueueError.is(error) && error === toldError);
    } finally {
      ease.removeEventListener("abort", onEase);
      live.stop();
      for (const line of state.closingLines()) stdout.write(`${printable(line)}\n`);
    }
    signal.throwIfAborted();
  } finally {
    // Not awaited: the process exits and closes every connection.
    queue.close().catch(() => {});
    client.close().catch(() => {});
  }
}

/** @throws {Misuse} if an option is invalid */
function readOptions(
  { out, concurrency, perSecond, recoverAfter = "30s", giveUpAfter = "15m", retry }: WorkFlags,
  state: WorkState,
): Omit<WorkOptions<Job>, "client"> {
  return {
    sink: watched(folder<Job>(out), state),
    concurrency: concurrency === undefined ? undefined : parseCount(concurrency, "--concurrency"),
    perSecond: perSecond === undefined ? undefined : parseRate(perSecond),
    recoverAfter: parseDuration(recoverAfter, "--recover-after"),
    giveUpAfter: parseDuration(giveUpAfter, "--give-up-after"),
    retry: retry ? {} : false,
  };
}

/** Counts the documents that are being stored. */
function watched(sink: Sink<Job>, state: WorkState): Sink<Job> {
  return {
    keyOf: (job) => sink.keyOf?.(job) as string,
    open: async () => sink.open?.(),
    sync: async () => sink.sync?.(),
    async put(...args) {
      state.storingCount++;
      try {
        return await sink.put(...args);
      } finally {
        state.storingCount--;
      }
    },
  };
}

/** @param isTold - whether the error has been printed already */
function endingOf(error: unknown, isTold: boolean): unknown {
  if (isTold)
    return new Failure("The worker stopped because of this error. Its jobs are still in the queue.", {
      cause: error,
    });
  if (!RunStoppedError.is(error)) return error;
  const text = `The worker stopped unexpectedly: ${inWordsOfTerminal(error.why)}. Its jobs are still in the queue.`;
  return new Halted(text, { cause: error });
}
