import { type Is, TemplatePdfError } from "../errors/errors.ts";

/**
 * The queue cannot be used: Redis is unreachable or refuses a command, or this process cannot read a job.
 * Jobs remain in the queue.
 */
export class QueueError extends TemplatePdfError {
  declare static readonly is: Is<QueueError>;
  override readonly code = "queue_failed";
  override get name(): string {
    return "QueueError";
  }
}
