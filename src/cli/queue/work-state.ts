import { RecentRate } from "../../bulk/recent-rate.ts";
import type { CallEvent, Hooks } from "../../index.ts";
import type { QueueResult } from "../../queue/index.ts";
import { OutageLog } from "../bulk/outage-log.ts";
import { formatRate } from "../bulk/progress-text.ts";
import { formatTimeSpan } from "../duration.ts";
import { countOf, formatCount } from "../output.ts";

/** What a worker has done and is doing. */
export class WorkState {
  /** Observe the requests. */
  readonly hooks: Hooks;
  /** The number of documents that are being stored. */
  storingCount = 0;
  /** The outages of the service. */
  readonly outages = new OutageLog();
  /** The calls that wait for a response. */
  readonly #calls = new Set<number>();
  #made = 0;
  #failed = 0;
  #isEnding = false;
  readonly #startedAtMs = performance.now();
  readonly #rate = new RecentRate(this.#startedAtMs);

  constructor() {
    const end = ({ call }: CallEvent) => void this.#calls.delete(call);
    this.hooks = {
      request: ({ call }) => void this.#calls.add(call),
      response: end,
      retry: end,
      error: end,
    };
  }

  /** The number of documents that are being requested or stored. */
  get inFlight(): number {
    return this.#calls.size + this.storingCount;
  }

  /** Counts the result of a job. */
  take({ status }: Pick<QueueResult<unknown>, "status">): void {
    if (status === "fulfilled") this.#made++;
    if (status === "rejected") this.#failed++;
  }

  /** Records that the worker takes no more jobs. Returns what is left to do. */
  end(): string {
    this.#isEnding = true;
    return this.inFlight === 0 ? "stopping" : `finishing ${countOf(this.inFlight, "document")}`;
  }

  /** Describes on one line what the worker is doing. */
  textOf(maxColumns: number): string {
    const rate = this.#rate.at(performance.now(), this.#made + this.#failed);
    const isIdle = this.inFlight === 0 && rate === 0;
    const doing = this.#isEnding ? "finishing" : "in flight";
    const idle = this.outages.isOngoing ? "waiting for the service" : "waiting for jobs";
    const parts = [
      `${formatCount(this.#made)} generated`,
      `${formatCount(this.#failed)} failed`,
      ...(isIdle
        ? [this.#isEnding ? "stopping" : idle]
        : [`${formatCount(this.inFlight)} ${doing}`, formatRate(rate)]),
    ];
    return parts.join("  ").slice(0, maxColumns);
  }

  /** Summarizes what the worker has done. */
  closingLines(): string[] {
    const failed = this.#failed === 0 ? "" : `, ${formatCount(this.#failed)} failed`;
    const duration = formatTimeSpan(performance.now() - this.#startedAtMs);
    const outages = this.outages.summaryAt(performance.now());
    return [
      `${countOf(this.#made, "document")} generated${failed}, in ${duration}`,
      ...(outages === undefined ? [] : [outages]),
    ];
  }
}
