import type { RequestListener, ServerResponse } from "node:http";
import { inspect } from "node:util";
import { fakePdf } from "../../../src/testing/fake-pdf.ts";

/** What happened when one way asked. */
export interface Happened {
  readonly document?: Uint8Array;
  readonly error?: unknown;
  /** What came in at the service, and at another machine that it points at. */
  readonly bodies: readonly string[];
  readonly bodiesElsewhere: readonly string[];
}

/** Something that happens to whoever asks for documents, and what each way makes of it. */
export interface Situation {
  readonly title: string;
  /** What the service answers to its requests, one after another; the last is repeated. */
  readonly answers: readonly Answer[];
  readonly values?: object;
  /** In a few words, what came of it. */
  readonly tell: (happened: Happened) => string;
}

type Answer = (answer: ServerResponse, elsewhere: string) => void;

/** The key that every way is given: no error may show it. */
export const apiKey = "key-7f3a9c1e5b2d";

const whole = fakePdf();
const half = whole.subarray(0, whole.length / 2);
const loginPage = "<!doctype html><title>Log in</title><p>Log in to go on.";

const status =
  (code: number, headers: Record<string, string> = {}, body: string | Uint8Array = ""): Answer =>
  (answer) =>
    answer.writeHead(code, headers).end(body);
const pdf = { "content-type": "application/pdf" };
const message = JSON.stringify({ message: "The member total is missing." });
const problem = status(422, { "content-type": "application/json" }, message);
const sendWhole = status(200, pdf, whole);
const sendLogin = status(200, { "content-type": "text/html" }, loginPage);

/** Sends half a document, and ends the connection or breaks it. */
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
  ["a connection that breaks once within the document", sendHalf(true), sendWhole],
  ["one 503, then the document", status(503), sendWhole],
  ["a connection that closes once before the response", (answer) => answer.destroy(), sendWhole],
];

/** Every situation, in the order of the page. */
export const situations: readonly Situation[] = [
  ...documents.map(([title, ...answers]) => ({ title, answers, tell: tellDocument })),
  {
    title: "307 to another host",
    answers: [(answer, elsewhere) => answer.writeHead(307, { location: elsewhere }).end()],
    tell: ({ bodiesElsewhere }) => (bodiesElsewhere.length > 0 ? "the values are sent there" : "an error"),
  },
  {
    title: "`NaN` in the values",
    values: { total: Number.NaN },
    answers: [sendWhole],
    tell: ({ bodies }) =>
      bodies.some((body) => body.includes("null")) ? "the PDF contains `null`" : "an error",
  },
  {
    title: "422 with a message in the body",
    answers: [problem],
    tell: ({ error }) =>
      String(error).includes("total is missing") ? "an error with the message" : "an error",
  },
  {
    title: "the API key in that error when it is logged",
    answers: [problem],
    tell: ({ error }) => (shown(error).includes(apiKey) ? "present" : "absent"),
  },
];

/** What server plays a situation, once. */
export function playing(situation: Situation, elsewhere: string, bodies: string[]): RequestListener {
  return async (request, answer) => {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    const play = situation.answers[Math.min(bodies.length, situation.answers.length - 1)];
    bodies.push(body);
    play?.(answer, elsewhere);
  };
}

function tellDocument({ document, error }: Happened): string {
  if (document === undefined) return error === undefined ? "nothing" : "an error";
  if (document.length === whole.length) return "the document";
  return String.fromCharCode(...document.subarray(0, 5)) === "%PDF-" ? "a truncated PDF" : "the login page";
}

/** An error as loggers show it: by `util.inspect`, and as JSON. */
function shown(error: unknown): string {
  return `${inspect(error, { depth: Number.POSITIVE_INFINITY })}\n${JSON.stringify(error)}`;
}
