import type { RequestListener, ServerResponse } from "node:http";
import { inspect } from "node:util";
import { fakePdf } from "../../../src/testing/fake-pdf.ts";

/** What happened in a call of one client. */
export interface Outcome {
  readonly document?: Uint8Array;
  readonly error?: unknown;
  /** The bodies of requests to the service, and to the other host that it redirects to. */
  readonly bodies: readonly string[];
  readonly bodiesElsewhere: readonly string[];
}

/** A situation that every client is tested in. */
export interface Situation {
  readonly title: string;
  /** The responses of the service in turn; the last one is repeated. */
  readonly answers: readonly Answer[];
  readonly values?: object;
  /** Describes the outcome in a few words. */
  readonly describe: (outcome: Outcome) => string;
}

type Answer = (answer: ServerResponse, elsewhere: string) => void;

/** The API key, which errors must not contain. */
export const apiKey = "key-7f3a9c1e5b2d";

const whole = fakePdf();
const half = whole.subarray(0, whole.length / 2);
const loginPage = "<!doctype html><title>Log in</title><p>Log in to go on.";

const status =
  (code: number, headers: Record<string, string> = {}, body: string | Uint8Array = ""): Answer =>
  (answer) =>
    answer.writeHead(code, headers).end(body);
const pdf = { "content-type": "application/pdf" };
const message = JSON.stringify({ message: "The property total is missing." });
const problem = status(422, { "content-type": "application/json" }, message);
const sendWhole = status(200, pdf, whole);
const sendLogin = status(200, { "content-type": "text/html" }, loginPage);

/** Sends a truncated document, and ends or breaks the connection. */
const sendHalf =
  (isBroken: boolean): Answer =>
  (answer) => {
    answer.useChunkedEncodingByDefault = false;
    answer.writeHead(
      200,
      isBroken ? { ...pdf, "content-length": whole.length } : { ...pdf, connection: "close" },
    );
    if (isBroken) answer.write(half, () => answer.destroy());
    else answer.end(half);
  };

const documents: readonly (readonly [title: string, ...answers: Answer[]])[] = [
  ["200 with a login page", sendLogin],
  ["a redirect to a login page", status(302, { location: "/login" }), sendLogin],
  ["a truncated document with a matching `content-length`", status(200, pdf, half)],
  ["a truncated document without `content-length`", sendHalf(false)],
  ["a connection that drops once partway through the document", sendHalf(true), sendWhole],
  ["one 503, then the document", status(503), sendWhole],
  ["a connection that closes once before the response", (answer) => answer.destroy(), sendWhole],
];

/** All situations, in the order of the table. */
export const situations: readonly Situation[] = [
  ...documents.map(([title, ...answers]) => ({ title, answers, describe: describeDocument })),
  {
    title: "307 to another host",
    answers: [(answer, elsewhere) => answer.writeHead(307, { location: elsewhere }).end()],
    describe: ({ bodiesElsewhere }) =>
      bodiesElsewhere.length > 0 ? "the values are sent there" : "an error",
  },
  {
    title: "`NaN` in the values",
    values: { total: Number.NaN },
    answers: [sendWhole],
    describe: ({ bodies }) =>
      bodies.some((body) => body.includes("null")) ? "the PDF contains `null`" : "an error",
  },
  {
    title: "422 with a message in the body",
    answers: [problem],
    describe: ({ error }) =>
      String(error).includes("total is missing") ? "an error with the message" : "an error",
  },
  {
    title: "the API key in that error when it is logged",
    answers: [problem],
    describe: ({ error }) => (shown(error).includes(apiKey) ? "present" : "absent"),
  },
];

/** A server for one call in a situation. */
export function serverOf(situation: Situation, elsewhere: string, bodies: string[]): RequestListener {
  return async (request, answer) => {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    const play = situation.answers[Math.min(bodies.length, situation.answers.length - 1)];
    bodies.push(body);
    play?.(answer, elsewhere);
  };
}

function describeDocument({ document, error }: Outcome): string {
  if (document === undefined) return error === undefined ? "nothing" : "an error";
  if (document.length === whole.length) return "the document";
  return String.fromCharCode(...document.subarray(0, 5)) === "%PDF-" ? "a truncated PDF" : "the login page";
}

/** An error as loggers print it: with `util.inspect` and as JSON. */
function shown(error: unknown): string {
  return `${inspect(error, { depth: Number.POSITIVE_INFINITY })}\n${JSON.stringify(error)}`;
}
