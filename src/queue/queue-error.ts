import { type Is, TemplatePdfError } from "../errors/errors.ts";

/**
 * The queue, a run or a job cannot be used: Redis is unreachable or refuses a command, the run does not exist
 * or was cancelled, or the job was deleted or cannot be read. The message says what to do.
 */
export class QueueError extends TemplatePdfError {
  declare static readonly is: Is<QueueError>;
  override readonly code = "queue_failed";
  override get name(): string {
    return "QueueError";
  }
}
