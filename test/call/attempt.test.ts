import { expect, it, vi } from "vitest";
import type { ClientOptions } from "../../src/options/client-options.ts";
import { headOf } from "../support/facts.ts";
import {
  bytesArrive,
  callIsCancelled,
  connectionBreaks,
  documentIsRead,
  failed,
  headersArrive,
  onDocument,
  requestIsSent,
  responseEnds,
  ScriptedCall,
  type Step,
  timePasses,
} from "../support/scripted-call.ts";

interface AttemptCase {
  /** What happens before `send` returns. Default: the request is sent. */
  duringSend?: Step[];
  steps: Step[];
  options?: ClientOptions;
  /** What the attempt does then, except to open and abort its exchange. `repeat` is what it says about a retry. */
  expected: unknown[];
}

const timeouts = {
  connect: 100,
  firstByte: 1_000,
  stall: 300,
  unread: 2_000,
  total: Number.POSITIVE_INFINITY,
};
const withoutCheck: ClientOptions = { verify: false };
const sixtyFourKibibytes = `%PDF-${"x".repeat(65_531)}`;
/** Whether a retry may help: `safe` if the request was not sent. */
const safe = { repeat: "safe" };
const ambiguous = { repeat: "ambiguous" };
const never = { repeat: "never" };

const pdfHeadersArrive = headersArrive(headOf(200));
const statusArrives = (status: number): Step => headersArrive(headOf(status));

/** The document becomes a stream that takes no more bytes. Nothing is read from it in the first `ms`. */
const documentIsStreamedAndUntouchedFor = (ms: number): Step => {
  return (scripted) => {
    const isUntouched = () => scripted.elapsedMs < ms;
    return documentIsRead({ isStream: true, write: () => false, isUntouched })(scripted);
  };
};

async function expectEvents({ duringSend, steps, options, expected }: AttemptCase): Promise<void> {
  const scripted: ScriptedCall = new ScriptedCall({
    options: { ...options, timeouts: { ...timeouts, ...options?.timeouts } },
    duringSend,
    bulk: {
      attempts: 0,
      lastError: undefined,
      decide: ({ repeat }) => {
        scripted.events.push({ repeat });
        return { why: "" };
      },
      onWhole: () => {},
      onFailed: () => {},
    },
  });
  await scripted.play(...steps, timePasses(15_000));
  expect(scripted.eventsWithout("opened", "aborted", "document begins")).toEqual(expected);
  expect(vi.getTimerCount(), "the number of timers that are left").toBe(0);
}

it.each(
  Object.entries<AttemptCase>({
    "fails after `timeouts.connect` if it gets no connection": {
      duringSend: [],
      steps: [],
      expected: [safe, failed(100, /Could not reach .*`timeouts.connect`/)],
    },
    "fails after `timeouts.firstByte` if no response arrives": {
      steps: [],
      expected: [ambiguous, failed(1_000, /Got no response .*`timeouts.firstByte`/)],
    },
    "starts `timeouts.firstByte` when the request is sent": {
      duringSend: [],
      steps: [timePasses(50), requestIsSent],
      expected: [ambiguous, failed(1_050, /Got no response .*`timeouts.firstByte`/)],
    },
    "can be retried safely if the connection breaks before the request is sent": {
      duringSend: [],
      steps: [timePasses(50), connectionBreaks],
      expected: [safe, failed(50, /Could not reach .* \(reset\)/)],
    },
    "may have rendered a document if the connection breaks after the request is sent": {
      steps: [connectionBreaks],
      expected: [ambiguous, failed(0, /Got no response .* \(reset\)/)],
    },
    "ends with the reason of a cancellation before the request is sent": {
      duringSend: [callIsCancelled],
      steps: [],
      expected: [failed(0, /^cancelled$/)],
    },
    "ends with the reason of a cancellation after the request is sent": {
      steps: [callIsCancelled],
      expected: [failed(0, /^cancelled$/)],
    },
  }),
)("An attempt %s", (_, attempt) => expectEvents(attempt));

it.each(
  Object.entries<AttemptCase>({
    "reports an error response without its end after `timeouts.stall`, even if bytes keep arriving": {
      steps: [statusArrives(503), timePasses(100), bytesArrive("busy")],
      expected: [ambiguous, failed(300, /Got 503 .*Try again later/)],
    },
    "waits 10 s for the end of an error response if `timeouts.stall` is infinite": {
      steps: [statusArrives(503), bytesArrive("busy")],
      options: { timeouts: { stall: Number.POSITIVE_INFINITY } },
      expected: [ambiguous, failed(10_000, /Got 503 /)],
    },
    "fails for a status below 200, even with a complete document": {
      steps: [statusArrives(199), bytesArrive("%PDF-%%EOF"), responseEnds],
      expected: [never, failed(0, /Got 199 /)],
    },
    "fails for a status above 299, even with a complete document": {
      steps: [statusArrives(300), bytesArrive("%PDF-%%EOF"), responseEnds],
      expected: [never, failed(0, /Got 300 /)],
    },
    "waits for the end of an error response of 64 KiB": {
      steps: [statusArrives(500), bytesArrive(sixtyFourKibibytes)],
      expected: [ambiguous, failed(300, /Got 500 /)],
    },
    "does not wait for the end of an error response of more than 64 KiB": {
      steps: [statusArrives(500), bytesArrive(sixtyFourKibibytes), bytesArrive("x")],
      expected: [ambiguous, failed(0, /Got 500 /)],
    },
  }),
)("An attempt %s", (_, attempt) => expectEvents(attempt));

it.each(
  Object.entries<AttemptCase>({
    "fails after `timeouts.stall` if the response stops before its PDF header is complete": {
      steps: [pdfHeadersArrive, bytesArrive("%P")],
      expected: [ambiguous, failed(300, /stalled after 2 bytes/)],
    },
    "fails after `timeouts.unread` if nothing reads the document, even if bytes keep arriving": {
      steps: [pdfHeadersArrive, bytesArrive("%P"), bytesArrive("DF-"), timePasses(100), bytesArrive("x")],
      expected: [
        failed(
          2_000,
          / was not read within 2000 ms \(`timeouts.unread`\). Read it sooner, or raise the limit.$/,
        ),
      ],
    },
    "starts `timeouts.stall` again when the document is read and with each chunk": {
      steps: [
        pdfHeadersArrive,
        bytesArrive("%PDF-"),
        timePasses(200),
        documentIsRead(),
        timePasses(200),
        bytesArrive("x"),
        timePasses(200),
        bytesArrive("x"),
      ],
      expected: [ambiguous, failed(900, /stalled after 7 bytes/)],
    },
    "fails after `timeouts.stall` if the document is read as soon as it begins to arrive": {
      steps: [onDocument(documentIsRead()), pdfHeadersArrive, bytesArrive("%PDF-")],
      expected: [ambiguous, failed(300, /`timeouts.stall`/)],
    },
    "ends with the reason of a cancellation when the document begins to arrive": {
      steps: [onDocument(callIsCancelled), pdfHeadersArrive, bytesArrive("%PDF-")],
      expected: [failed(0, /^cancelled$/)],
    },
    "fails if the document has fewer bytes than its headers declare": {
      steps: [
        headersArrive(headOf(200, { "content-length": "100" })),
        bytesArrive("%PDF-%%EOF"),
        responseEnds,
      ],
      expected: [ambiguous, failed(0, /was truncated after 10 of 100 bytes. Generate/)],
    },
    "fails if the document has no PDF trailer": {
      steps: [pdfHeadersArrive, bytesArrive("%PDF-"), responseEnds],
      expected: [ambiguous, failed(0, /was truncated after 5 bytes, without/)],
    },
    "fails if the connection breaks during the document": {
      steps: [pdfHeadersArrive, bytesArrive("%PDF-"), connectionBreaks],
      expected: [ambiguous, failed(0, /was truncated after 5 bytes \(reset\)/)],
    },
    "has no timeout for a document that has arrived and is not read": {
      steps: [pdfHeadersArrive, bytesArrive("%PDF-%%EOF"), responseEnds, timePasses(3_000), documentIsRead()],
      expected: ["document complete"],
    },
  }),
)("An attempt %s", (_, attempt) => expectEvents(attempt));

it.each(
  Object.entries<AttemptCase>({
    "fails after `timeouts.firstByte` if only headers arrive": {
      steps: [pdfHeadersArrive],
      options: withoutCheck,
      expected: [ambiguous, failed(1_000, /`timeouts.firstByte`/)],
    },
    "fails after `timeouts.firstByte` if only headers arrive and the document is read": {
      steps: [pdfHeadersArrive, documentIsRead()],
      options: withoutCheck,
      expected: [ambiguous, failed(1_000, /`timeouts.firstByte`/)],
    },
    "starts `timeouts.unread` with the first byte if nothing reads the document": {
      steps: [pdfHeadersArrive, timePasses(100), bytesArrive("x"), timePasses(100), bytesArrive("x")],
      options: withoutCheck,
      expected: [failed(2_100, /`timeouts.unread`/)],
    },
    "starts `timeouts.stall` with the first byte if the document is read": {
      steps: [pdfHeadersArrive, documentIsRead(), timePasses(100), bytesArrive("x")],
      options: withoutCheck,
      expected: [ambiguous, failed(400, /`timeouts.stall`/)],
    },
    "accepts a document without a PDF header": {
      steps: [pdfHeadersArrive, documentIsRead(), bytesArrive("x"), responseEnds],
      options: withoutCheck,
      expected: ["document complete"],
    },
  }),
)("An attempt with `verify: false` %s", (_, attempt) => expectEvents(attempt));

it.each(
  Object.entries<AttemptCase>({
    "fails after `timeouts.unread` if nothing reads from its stream": {
      steps: [
        pdfHeadersArrive,
        bytesArrive(sixtyFourKibibytes),
        timePasses(100),
        documentIsStreamedAndUntouchedFor(Number.POSITIVE_INFINITY),
      ],
      expected: ["paused", failed(2_100, /`timeouts.unread`/)],
    },
    "has no timeout while the reader of its stream is slow": {
      steps: [
        pdfHeadersArrive,
        bytesArrive(sixtyFourKibibytes),
        timePasses(100),
        documentIsStreamedAndUntouchedFor(500),
      ],
      expected: ["paused"],
    },
    "starts `timeouts.stall` when an output reads and the connection resumes": {
      steps: [pdfHeadersArrive, bytesArrive(sixtyFourKibibytes), timePasses(400), documentIsRead()],
      expected: ["paused", "resumed", ambiguous, failed(700, /`timeouts.stall`/)],
    },
  }),
)("An attempt with 64 KiB of unread bytes %s", (_, attempt) => expectEvents(attempt));
