import { fault } from "../../../src/service/faults/fault-script.ts";
import { faults } from "../../../src/testing/faults.ts";
import { earlyFault } from "../../support/faults/early-fault.ts";
import { type Group, row } from "../row.ts";

const nothing = (name: string) => earlyFault(name, () => [], "connection");

const stalling = (name: string) => earlyFault(name, () => [{ do: "stall" }], "connection");

/** A TLS alert, "protocol version", as a server of TLS answers to plain text (RFC 8446, 6). */
const tlsAlert = Uint8Array.of(0x15, 3, 1, 0, 2, 2, 70);

export const connecting: Group = {
  title: "Getting there",
  rows: [
    row(nothing("nobody listens: the connection is refused"), "ConnectionError", "heals", {
      refused: true,
      unsent: ["undici", "fetch"],
    }),
    row(nothing("the name of the host is not known"), "ConnectionError", "heals", {
      name: "unknown",
      unsent: ["undici", "fetch"],
    }),
    row(nothing("the search for the host's name never ends"), "TimeoutError (connect)", "heals", {
      name: "silent",
      unsent: ["undici"],
      fetch: "TimeoutError (firstByte)",
      note: "`fetch` does not tell when it has connected: `firstByte` covers it",
    }),
    row(stalling("the connection is made, and TLS is never answered"), "TimeoutError (connect)", "in vain", {
      unsent: ["undici"],
      https: true,
      fetch: "TimeoutError (firstByte)",
      lingersByFetch: true,
      note: "`fetch` does not tell when it has connected: `firstByte` covers it; it lets go of the connection only later",
    }),
    row(
      earlyFault(
        "plain text where TLS is expected",
        () => [{ do: "write", bytes: "HTTP/1.1 400 Bad Request\r\n\r\n" }, { do: "end" }],
        "connection",
      ),
      "ConnectionError",
      "not tried",
      { https: true },
    ),
    row(
      fault("TLS where plain text is expected", () => [{ do: "write", bytes: tlsAlert }, { do: "end" }]),
      "ConnectionError",
      "heals",
    ),
    row(nothing("a certificate that nobody vouches for"), "ConnectionError", "not tried", {
      https: true,
      certificate: "self-signed",
    }),
    row(nothing("a certificate that has expired"), "ConnectionError", "not tried", {
      https: true,
      certificate: "expired",
    }),
    row(
      earlyFault("closed as soon as it is accepted", () => [{ do: "end" }], "connection"),
      "ConnectionError",
      "heals",
    ),
    row(
      earlyFault(
        "accepted, and reset before the request is answered",
        // Not at once: then it depends on the system whether the connection was ever made.
        () => [{ do: "wait", ms: 20 }, { do: "reset" }],
        "connection",
      ),
      "ConnectionError",
      "heals",
    ),
    row(stalling("accepted, and never a byte"), "TimeoutError (firstByte)", "heals"),
  ],
};

export const answering: Group = {
  title: "No answer",
  rows: [
    row(faults.reset(), "ConnectionError", "heals"),
    row(
      earlyFault("reset while the request is coming", () => [{ do: "reset" }], "head"),
      "ConnectionError",
      "heals",
      {
        largeRequest: true,
      },
    ),
    row(
      fault("closed without an answer", () => [{ do: "end" }]),
      "ConnectionError",
      "heals",
    ),
    row(
      fault("half a status line, and closed", () => [{ do: "write", bytes: "HTTP/1.1 2" }, { do: "end" }]),
      "ConnectionError",
      "heals",
    ),
    row(
      fault("something that is no HTTP", () => [
        { do: "write", bytes: "220 mail.example.com ESMTP ready\r\n" },
        { do: "end" },
      ]),
      "ConnectionError",
      "heals",
    ),
    row(
      fault("an answer that never begins", () => [{ do: "stall" }]),
      "TimeoutError (firstByte)",
      "heals",
    ),
    row(
      fault("half a head, and then nothing", () => [
        { do: "write", bytes: "HTTP/1.1 200 OK\r\ncontent-type: applica" },
        { do: "stall" },
      ]),
      "TimeoutError (firstByte)",
      "heals",
    ),
  ],
};

export const keepingAlive: Group = {
  title: "Connections that are used again",
  rows: [
    row(nothing("the server closes the idle connection between two calls"), "whole", "not needed", {
      warm: true,
      hungUp: true,
    }),
    row(
      fault("the kept connection is closed under the next request", () => [{ do: "end" }]),
      "ConnectionError",
      "heals",
      {
        warm: true,
      },
    ),
    row(
      fault("the kept connection is reset under the next request", () => [{ do: "reset" }]),
      "ConnectionError",
      "heals",
      {
        warm: true,
      },
    ),
  ],
};
