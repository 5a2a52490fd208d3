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

/** An error in words for the person who sees it. */
export interface Explanation {
  readonly text: string;
  /** What is wrong with the values, by their names. */
  readonly fields: ReadonlyMap<string, string>;
  /** What the person can do here and now. */
  readonly action?: "reload" | undefined;
}

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });

/** Says what happened, and what to do next; nothing of how it is done. */
export function explain(error: unknown): Explanation {
  const fields = fieldsOf(error);
  if (fields.size > 0) {
    return {
      text: fields.size === 1 ? "One field needs another look." : `${fields.size} fields need another look.`,
      fields,
    };
  }
  if (AuthenticationError.is(error)) {
    return { text: "Your session has ended. Load the page again to sign in.", fields, action: "reload" };
  }
  return { text: textFor(error), fields };
}

function textFor(error: unknown): string {
  if (BadRequestError.is(error) || ValuesError.is(error)) {
    return "The invoice was refused as it is. Go through the fields, and try again.";
  }
  if (PermissionError.is(error)) return "You may not make invoices. Ask whoever gave you your account.";
  if (RateLimitError.is(error)) {
    return `Too many invoices are being made. Try again ${whenAfter(error.retryAfterMs)}.`;
  }
  if (TimeoutError.is(error)) return "It took too long, and was given up. Try again in a minute.";
  if (ConnectionError.is(error)) {
    return navigator.onLine
      ? "The server did not answer. Try again in a minute."
      : "You are offline. Try again when you are connected.";
  }
  if (InvalidPdfError.is(error) || TruncatedPdfError.is(error)) {
    return "The invoice did not arrive whole, and was put away. Try again.";
  }
  if (ServerError.is(error)) {
    // A proxy in front of the server may have answered, without a number.
    const number = error.requestId ? ` If that does not help, tell us this number: ${error.requestId}` : "";
    return `The invoice could not be made. Try again in a minute.${number}`;
  }
  // Nothing that a person could mend: a mistake of this page, and its developers should hear of it.
  reportError(error);
  return "Something went wrong in this page. Load it again.";
}

function whenAfter(delayMs: number | undefined): string {
  return delayMs === undefined
    ? "in a minute"
    : `at ${clock.format(new Date(Date.now() + delayMs + 60_000))}`;
}

/** What the server found wrong: it answers 422 with `errors`. What the client found wrong itself is in `issues`. */
function fieldsOf(error: unknown): Map<string, string> {
  if (ValuesError.is(error)) {
    return new Map(error.issues.map(({ path, message }) => [path.join("."), message]));
  }
  if (!BadRequestError.is(error)) return new Map();
  const { errors = [] } = (error.body ?? {}) as { errors?: { path: string; detail: string }[] };
  return new Map(errors.map(({ path, detail }) => [path, detail]));
}
