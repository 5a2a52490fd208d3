import { describe, expect, it } from "vitest";
import { escapeUnprintable, formatSize, inspected, printable } from "../../src/cli/output.ts";

describe("formatSize", () => {
  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1000, "1.0 kB"],
    [36_789, "36.8 kB"],
    [999_949, "999.9 kB"],
    [999_950, "1.0 MB"],
    [12_345_678, "12.3 MB"],
    [999_949_999, "999.9 MB"],
    [999_950_000, "1.0 GB"],
    [2_500_000_000, "2.5 GB"],
  ])("writes %i bytes as %s", (bytes, text) => {
    expect(formatSize(bytes)).toBe(text);
  });
});

describe("printable", () => {
  it("keeps what a terminal shows as it is", () => {
    expect(printable("Zoë 発票 👍 — £1,000")).toBe("Zoë 発票 👍 — £1,000");
  });

  it("makes one line of several", () => {
    expect(printable(" first \r\n\n  second\n")).toBe("first second");
    expect(printable("a \t\n \u00a0 \r b  c")).toBe("a b  c");
  });

  it("handles 1 MB of spaces at once", () => {
    const spaces = " ".repeat(500_000);
    expect(printable(`a${spaces}b\n${spaces}`)).toBe(`a${spaces}b`);
  });

  it("escapes what a terminal would obey, or show in another order", () => {
    expect(printable("\u001b[31m\u0007\t\u009b2J\u202e\u2028\ud800")).toBe(
      String.raw`\u001b[31m\u0007\u0009\u009b2J\u202e\u2028\ud800`,
    );
  });

  it("escapes as JSON reads it", () => {
    const text = "\u009b31m\u202eabc";
    expect(JSON.parse(escapeUnprintable(JSON.stringify(text)))).toBe(text);
  });
});

describe("inspected", () => {
  it("escapes what a terminal would obey, and keeps its own line breaks", () => {
    const error = new Error("\u001b]0;title\u0007 \u202egpj.exe");
    error.stack = `${error}\n    at \u009b2J (file.mjs:1:2)`;
    expect(inspected(error)).toBe(
      String.raw`Error: \u001b]0;title\u0007 \u202egpj.exe` +
        "\n" +
        String.raw`    at \u009b2J (file.mjs:1:2)`,
    );
  });
});
