import { faults } from "../../../src/testing/faults.ts";
import { group } from "../row.ts";
import { end, lines, reset, stall, write } from "../steps.ts";

const nothing = () => [];
const distrusted = { secondTry: "not tried", https: true } as const;

/** The TLS alert "protocol version", with which a TLS server responds to plain text (RFC 8446, 6). */
const tlsAlert = Uint8Array.of(0x15, 3, 1, 0, 2, 2, 70);

export const connecting = group("Connecting", "ConnectionError", "heals", [
  ["the connection is refused", nothing, { refused: true, unsent: ["undici", "fetch"] }],
  ["the host name is unknown", nothing, { name: "unknown", unsent: ["undici", "fetch"] }],
  [
    "the DNS lookup never ends",
    nothing,
    {
      gets: "TimeoutError (connect)",
      name: "silent",
      unsent: ["undici"],
      fetch: "TimeoutError (firstByte)",
      note: "`fetch` does not report when it has connected: `firstByte` covers it",
    },
  ],
  [
    "the connection opens, but the TLS handshake gets no response",
    () => [stall],
    {
      at: "connection",
      gets: "TimeoutError (connect)",
      secondTry: "in vain",
      unsent: ["undici"],
      https: true,
      fetch: "TimeoutError (firstByte)",
      lingersByFetch: true,
      note: "`fetch` does not report when it has connected: `firstByte` covers it; it releases the connection later",
    },
  ],
  [
    "plain text instead of TLS",
    () => [lines("HTTP/1.1 400 Bad Request"), end],
    { ...distrusted, at: "connection" },
  ],
  ["TLS instead of plain text", () => [write(tlsAlert), end]],
  ["an untrusted certificate", nothing, { ...distrusted, certificate: "self-signed" }],
  ["an expired certificate", nothing, { ...distrusted, certificate: "expired" }],
  ["the connection closes immediately", () => [end], { at: "connection" }],
  [
    "the connection is reset before the response",
    // Waits first, because otherwise it depends on the system whether the connection was established.
    () => [{ do: "wait", ms: 20 }, reset],
    { at: "connection" },
  ],
  [
    "the connection opens, but no byte arrives",
    () => [stall],
    { at: "connection", gets: "TimeoutError (firstByte)" },
  ],
]);

export const answering = group("No response", "ConnectionError", "heals", [
  [faults.reset()],
  ["reset during the request", () => [reset], { at: "headers", largeRequest: true }],
  ["closed without a response", () => [end]],
  ["closed in the middle of the status line", () => [write("HTTP/1.1 2"), end]],
  ["a response that is not HTTP", () => [write("220 mail.example.com ESMTP ready\r\n"), end]],
  ["a response that never begins", () => [stall], { gets: "TimeoutError (firstByte)" }],
  [
    "incomplete headers, and then nothing",
    () => [write("HTTP/1.1 200 OK\r\ncontent-type: applica"), stall],
    { gets: "TimeoutError (firstByte)" },
  ],
]);

export const keepingAlive = group("Reused connections", "ConnectionError", "heals", [
  [
    "the server closes the idle connection between two calls",
    nothing,
    { gets: "whole", secondTry: "not needed", warm: true, hungUp: true },
  ],
  ["the reused connection closes during the next request", () => [end], { warm: true }],
  ["the reused connection is reset during the next request", () => [reset], { warm: true }],
]);
