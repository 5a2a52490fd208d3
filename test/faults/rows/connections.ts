import { faults } from "../../../src/testing/faults.ts";
import { group } from "../row.ts";
import { end, lines, reset, stall, write } from "../steps.ts";

const nothing = () => [];
const distrusted = { secondTry: "not tried", https: true } as const;

/** A TLS alert, "protocol version", as a server of TLS answers to plain text (RFC 8446, 6). */
const tlsAlert = Uint8Array.of(0x15, 3, 1, 0, 2, 2, 70);

export const connecting = group("Getting there", "ConnectionError", "heals", [
  ["nobody listens: the connection is refused", nothing, { refused: true, unsent: ["undici", "fetch"] }],
  ["the name of the host is not known", nothing, { name: "unknown", unsent: ["undici", "fetch"] }],
  [
    "the search for the host's name never ends",
    nothing,
    {
      gets: "TimeoutError (connect)",
      name: "silent",
      unsent: ["undici"],
      fetch: "TimeoutError (firstByte)",
      note: "`fetch` does not tell when it has connected: `firstByte` covers it",
    },
  ],
  [
    "the connection is made, and TLS is never answered",
    () => [stall],
    {
      at: "connection",
      gets: "TimeoutError (connect)",
      secondTry: "in vain",
      unsent: ["undici"],
      https: true,
      fetch: "TimeoutError (firstByte)",
      lingersByFetch: true,
      note: "`fetch` does not tell when it has connected: `firstByte` covers it; it lets go of the connection only later",
    },
  ],
  [
    "plain text where TLS is expected",
    () => [lines("HTTP/1.1 400 Bad Request"), end],
    { ...distrusted, at: "connection" },
  ],
  ["TLS where plain text is expected", () => [write(tlsAlert), end]],
  ["a certificate that nobody vouches for", nothing, { ...distrusted, certificate: "self-signed" }],
  ["a certificate that has expired", nothing, { ...distrusted, certificate: "expired" }],
  ["closed as soon as it is accepted", () => [end], { at: "connection" }],
  [
    "accepted, and reset before the request is answered",
    // Not at once: then it depends on the system whether the connection was ever made.
    () => [{ do: "wait", ms: 20 }, reset],
    { at: "connection" },
  ],
  ["accepted, and never a byte", () => [stall], { at: "connection", gets: "TimeoutError (firstByte)" }],
]);

export const answering = group("No answer", "ConnectionError", "heals", [
  [faults.reset()],
  ["reset while the request is coming", () => [reset], { at: "head", largeRequest: true }],
  ["closed without an answer", () => [end]],
  ["half a status line, and closed", () => [write("HTTP/1.1 2"), end]],
  ["something that is no HTTP", () => [write("220 mail.example.com ESMTP ready\r\n"), end]],
  ["an answer that never begins", () => [stall], { gets: "TimeoutError (firstByte)" }],
  [
    "half a head, and then nothing",
    () => [write("HTTP/1.1 200 OK\r\ncontent-type: applica"), stall],
    { gets: "TimeoutError (firstByte)" },
  ],
]);

export const keepingAlive = group("Connections that are used again", "ConnectionError", "heals", [
  [
    "the server closes the idle connection between two calls",
    nothing,
    { gets: "whole", secondTry: "not needed", warm: true, hungUp: true },
  ],
  ["the kept connection is closed under the next request", () => [end], { warm: true }],
  ["the kept connection is reset under the next request", () => [reset], { warm: true }],
]);
