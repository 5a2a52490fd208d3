import { type Is, TemplatePdfError } from "../errors/errors.ts";

/**
 * The queue cannot be used: Redis cannot be reached or refuses, or what is in the queue cannot be read by this process.
 * Jobs that are in the queue stay there.
 */
export class QueueError extends TemplatePdfError {
  declare static readonly is: Is<QueueError>;
  override readonly code = "queue_failed";
  override get name(): string {
    return "QueueError";
  }
}
