import { describe, expect, it } from "vitest";
import { isLoopback } from "../src/loopback.ts";

describe("hosts that are this very machine", () => {
  it.each([
    "http://localhost",
    "http://LOCALHOST:8080",
    "http://localhost.",
    "http://pdf.localhost",
    "http://a.b.localhost.",
    "http://127.0.0.1",
    "http://127.0.0.1.",
    "http://127.1",
    "http://127.255.255.254",
    "http://2130706433",
    "http://0x7f000001",
    "http://0177.0.0.1",
    "http://0x7f.1",
    "http://%6cocalhost",
    "http://１２７.0.0.1",
    "http://[::1]",
    "http://[0:0:0:0:0:0:0:1]:3000",
    "http://[::0001]",
  ])("%s", (url) => {
    expect(isLoopback(new URL(url).hostname)).toBe(true);
  });
});

describe("hosts that are not, or not surely", () => {
  it.each([
    "http://127.0.0.1.evil.com",
    "http://localhost.evil.com",
    "http://evillocalhost",
    "http://my-localhost",
    "http://localhost-evil",
    "http://localhost.localdomain",
    "http://127-0-0-1.evil.com",
    "http://127.0.0.1.nip.io",
    "http://127.0.0.1@evil.com",
    "http://evil.com#localhost",
    "http://evil.com/localhost",
    "http://128.0.0.1",
    "http://12.7.0.1",
    "http://0.0.0.0",
    "http://0",
    "http://10.0.0.1",
    "http://192.168.0.1",
    "http://169.254.169.254",
    "http://[::]",
    "http://[::2]",
    "http://[::1:1]",
    "http://[fe80::1]",
    "http://[::ffff:127.0.0.1]",
    "http://xn--localhost-x5a.com",
    "http://localhost%2eevil.com",
    "http://.localhost",
  ])("%s", (url) => {
    expect(isLoopback(new URL(url).hostname)).toBe(false);
  });

  it.each([
    "",
    "127.0.0.1\n.evil.com",
    "localhost\n",
    "\nlocalhost",
    "127.0.0.1.1",
    "127.0.0",
    "[::1",
    "::1]",
  ])("%j, which no URL gives", (hostname) => {
    expect(isLoopback(hostname)).toBe(false);
  });
});
