import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLoopback } from "../src/runtime/environment.ts";
import { property } from "./support/fuzz.ts";

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

describe("any address", () => {
  property("of IPv4 is this machine where its first number is 127, however it is written", () => {
    const first = fc.oneof(fc.constant(127), fc.nat(255));
    const number = fc.tuple(first, fc.nat(0xffffff)).map(([head, rest]) => head * 2 ** 24 + rest);
    const writings = fc.constantFrom(
      (value: number) => String(value),
      (value: number) => `0x${value.toString(16)}`,
      (value: number) => `0${value.toString(8)}`,
      (value: number) => [24, 16, 8, 0].map((bits) => Math.floor(value / 2 ** bits) % 256).join("."),
      (value: number) => `${Math.floor(value / 2 ** 24)}.${value % 2 ** 24}`,
    );
    return fc.property(number, writings, (value, write) => {
      const { hostname } = new URL(`http://${write(value)}`);
      expect(isLoopback(hostname)).toBe(Math.floor(value / 2 ** 24) === 127);
    });
  });

  property("of IPv6 is this machine where it is ::1", () =>
    fc.property(fc.oneof(fc.ipV6(), fc.constantFrom("::1", "0:0::1", "::0001")), (address) => {
      const { hostname } = new URL(`http://[${address}]`);
      expect(isLoopback(hostname)).toBe(hostname === "[::1]");
    }),
  );

  property("by name is this machine where its last label is localhost", () => {
    const label = fc.oneof(
      fc.constantFrom("localhost", "127", "local", "LocalHost"),
      fc.stringMatching(/^[a-z]{1,6}$/),
    );
    return fc.property(
      fc.array(label, { minLength: 1, maxLength: 4 }),
      fc.constantFrom("", "."),
      (labels, dot) => {
        fc.pre(!/^\d+$/.test(labels.at(-1) ?? ""));
        const { hostname } = new URL(`http://${labels.join(".")}${dot}`);
        expect(isLoopback(hostname)).toBe(labels.at(-1)?.toLowerCase() === "localhost");
      },
    );
  });
});
