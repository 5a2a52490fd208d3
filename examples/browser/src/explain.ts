import {
  AuthenticationError,
  BadRequestError,
  ConnectionError,
  InvalidPdfError,
  PermissionError,
  RateLimitError,
  ServerError,
  TimeoutError,
  TruncatedPdfError,
  ValuesError,
} from "template-pdf";

/** An error message for the user. */
export interface Explanation {
  readonly text: string;
  /** The messages for invalid fields, by field name. */
  readonly fields: ReadonlyMap<string, string>;
  /** The button to offer. */
  readonly action?: "reload" | undefined;
}

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });

/** Returns what happened and what to do, without technical details. */
export function explain(error: unknown): Explanation {
  const fields = fieldsOf(error);
  if (fields.size > 0) {
    return {
      text: fields.size === 1 ? "One field is invalid." : `${fields.size} fields are invalid.`,
      fields,
    };
  }
  if (AuthenticationError.is(error)) {
    return { text: "Your session has ended. Reload the page to sign in.", fields, action: "reload" };
  }
  return { text: textFor(error), fields };
}

function textFor(error: unknown): string {
  if (BadRequestError.is(error) || ValuesError.is(error)) {
    return "The invoice was rejected. Correct the fields, and send it again.";
  }
  if (PermissionError.is(error))
    return "You are not allowed to generate invoices. Contact your administrator.";
  if (RateLimitError.is(error)) {
    return `There are too many requests. Try again ${whenAfter(error.retryAfterMs)}.`;
  }
  if (TimeoutError.is(error)) return "The request timed out. Try again in a minute.";
  if (ConnectionError.is(error)) {
    return navigator.onLine
      ? "The server did not respond. Try again in a minute."
      : "You are offline. Try again when you are connected.";
  }
  if (InvalidPdfError.is(error) || TruncatedPdfError.is(error)) {
    return "The invoice was incomplete. Try again.";
  }
  if (ServerError.is(error)) {
    // If a proxy responded, there is no request id.
    const number = error.requestId ? ` If it fails again, send us this request id: ${error.requestId}` : "";
    return `The invoice could not be generated. Try again in a minute.${number}`;
  }
  // This is a bug in the page: report it to the developers.
  reportError(error);
  return "This page has a problem. Reload it.";
}

function whenAfter(delayMs: number | undefined): string {
  return delayMs === undefined
    ? "in a minute"
    : `at ${clock.format(new Date(Date.now() + delayMs + 60_000))}`;
}

/** Returns the messages for invalid fields: from `errors` of a 422 response, or from `issues` of the client. */
function fieldsOf(error: unknown): Map<string, string> {
  if (ValuesError.is(error)) {
    return new Map(error.issues.map(({ path, message }) => [path.join("."), message]));
  }
  if (!BadRequestError.is(error)) return new Map();
  const { errors = [] } = (error.body ?? {}) as { errors?: { path: string; detail: string }[] };
  return new Map(errors.map(({ path, detail }) => [path, detail]));
}
