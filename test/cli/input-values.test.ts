import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { readValues } from "../../src/cli/input-values.ts";

/** Reads values from standard input. */
function read(...parts: (string | readonly number[])[]) {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  return readValues({ file: "-", pairs: [] }, Readable.from([bytes]));
}

describe("values that are not UTF-8", () => {
  it.each<[place: string, ...parts: (string | readonly number[])[]]>([
    // UTF-16, as PowerShell writes it.
    ["1:1", [0xff, 0xfe, 0x7b, 0x00]],
    ["2:8", '{\n"a": "Z', [0xfc], '"}'],
    ["1:11", '{"é€👍": "', [0x80], '"}'],
    // The replacement character itself is valid, and other characters start with the same bytes.
    ["1:8", '{"\ufffd": "', [0x80], '"}'],
    ["1:4", '{"a', [0xef, 0xbf], '"}'],
    ["4:1", "\r\n\r\n\r", [0xff]],
  ])("are rejected with the position of the first invalid byte: %s in %j", async (place, ...parts) => {
    const line = `standard input:${place}: this is not UTF-8. Save it as UTF-8.`;
    await expect(read(...parts)).rejects.toThrow(line);
  });
});

it("values can begin with a byte order mark and can arrive in chunks that split a character", async () => {
  const pieces = Array.from(Buffer.from('\ufeff{"customer": "Zoë 👍"}'), (byte) => Uint8Array.of(byte));
  expect(await readValues({ file: "-", pairs: [] }, Readable.from(pieces))).toEqual({ customer: "Zoë 👍" });
});

describe("--set", () => {
  const json = '{"customer": {"name": "Zoë"}, "a.b": 1, "a": {}, "total": "1"}';
  const set = (...pairs: string[]) => readValues({ file: "-", pairs }, Readable.from([Buffer.from(json)]));

  it.each(["customer.name", "customer.address.city", "a.c"])("cannot set the nested property %s", (key) =>
    expect(set(`${key}=Canary`)).rejects.toThrow(
      `--set ${key} cannot set a property of ${key.split(".")[0]}, because --set only sets top-level properties. Use --values instead.`,
    ),
  );
});
