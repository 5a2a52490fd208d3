/**
 * The client of the Template PDF Generation Service: a template uid and values in, a whole PDF out.
 *
 * @packageDocumentation
 */

export type { ApiKeySource } from "./api-key.ts";
export { TemplatePdf } from "./client.ts";
export type { GeneratedPdf } from "./document.ts";
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  ConnectionError,
  InvalidPdfError,
  NotFoundError,
  OversizedPdfError,
  PermissionError,
  RateLimitError,
  SaveError,
  ServerError,
  TemplatePdfError,
  TimeoutError,
  type TimeoutPhase,
  TruncatedPdfError,
  ValuesError,
  type ValuesIssue,
} from "./errors.ts";
export type { Saved } from "./files/types.ts";
export type { HeadersInput } from "./headers.ts";
export type { CallEvent, FailureEvent, Hooks, RequestEvent, ResponseEvent, RetryEvent } from "./hooks.ts";
export type { CallOptions, ClientOptions, Progress } from "./options.ts";
export type { PendingPdf } from "./pending.ts";
export type { Bytes } from "./platform-types.ts";
export type { InferInput, InferOutput, StandardSchemaV1 } from "./standard-schema.ts";
export { type AnyTemplate, type Template, template, type Unchecked, type Values } from "./template.ts";
export type { DispatcherLike, FetchLike } from "./transport/types.ts";
export type { Retry, Timeouts } from "./waits.ts";
