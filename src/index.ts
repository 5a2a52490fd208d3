/**
 * A client for the Template PDF Generation Service. It generates a PDF from a template uid and values.
 *
 * @packageDocumentation
 */

export { TemplatePdf } from "./client.ts";
export type { GeneratedPdf } from "./document/generated-pdf.ts";
export type { PendingPdf } from "./document/pending-pdf.ts";
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
} from "./errors/errors.ts";
export type { Saved, SaveOptions } from "./files/save-path.ts";
export type { CallOptions, Progress } from "./options/call-options.ts";
export type { ClientOptions } from "./options/client-options.ts";
export type {
  CallEvent,
  FailureEvent,
  Hooks,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
} from "./options/hooks.ts";
export type { Retry } from "./options/retry.ts";
export type { Timeouts } from "./options/timeouts.ts";
export type { ApiKeySource } from "./request/api-key.ts";
export type { HeadersInput } from "./request/headers.ts";
export type { AnyTemplate, InferInput, InferOutput, StandardSchemaV1 } from "./request/schema.ts";
export type { Bytes } from "./runtime/platform-types.ts";
export { type Template, template, type Unchecked, type Values } from "./template.ts";
export type { DispatcherLike, FetchLike } from "./transport/transport.ts";
