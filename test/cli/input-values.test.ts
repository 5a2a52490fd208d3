import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { readValues } from "../../src/cli/input-values.ts";

/** Reads values from standard input. */
function read(...parts: (string | readonly number[])[]) {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  return readValues({ file: "-", pairs: [] }, Readable.from([bytes]));
}

describe("values that are not UTF-8 are refused with the place of the first bad byte", () => {
  it.each<[title: string, parts: (string | readonly number[])[], place: string]>([
    ["UTF-16, as PowerShell writes it", [[0xff, 0xfe, 0x7b, 0x00]], "1:1"],
    ["Latin-1", ['{\n"a": "Z', [0xfc], '"}'], "2:8"],
    ["after characters of several bytes", ['{"é€👍": "', [0x80], '"}'], "1:11"],
    ["after the mark that stands for bad bytes, which is good itself", ['{"\ufffd": "', [0x80], '"}'], "1:8"],
    ["a character that begins as that mark does", ['{"a', [0xef], '"}'], "1:4"],
    ["and goes on as it does", ['{"a', [0xef, 0xbf], '"}'], "1:4"],
    ["a character that breaks off at the end", ['{"a', [0xef, 0xbf]], "1:4"],
    ["after a byte order mark", ["\ufeff{\r\n", [0xff]], "2:1"],
    ["after line ends of every kind", ["\r\n\r\n\r", [0xff]], "4:1"],
  ])("%s", async (_title, parts, place) => {
    await expect(read(...parts)).rejects.toThrow(
      `standard input:${place}: this is not UTF-8. Save it as UTF-8.`,
    );
  });
});

describe("values that are UTF-8", () => {
  it("may begin with a byte order mark, and come in pieces that cut a character", async () => {
    const bytes = Buffer.from('\ufeff{"customer": "Zoë 👍"}');
    const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
    expect(await readValues({ file: "-", pairs: [] }, Readable.from(pieces))).toEqual({ customer: "Zoë 👍" });
  });

  it("are none where neither a file nor a --set is given", async () => {
    expect(await readValues({ file: undefined, pairs: [] }, Readable.from([]))).toEqual({});
  });
});

describe("--set", () => {
  const json = '{"customer": {"name": "Zoë"}, "a.b": 1, "a": {}, "total": "1"}';
  const set = (...pairs: string[]) => readValues({ file: "-", pairs }, Readable.from([Buffer.from(json)]));

  it.each(["customer.name", "customer.address.city", "a.c"])(
    "does not reach into an object: %s is refused",
    async (key) => {
      await expect(set(`${key}=Canary`)).rejects.toThrow(
        `--set ${key} does not reach into ${key.split(".")[0]}: it names a member at the top of the values. Write it into the file of --values.`,
      );
    },
  );

  it("names members at the top, also those with a dot", async () => {
    expect(await set("a.b=2", "total.net=3", "new.name=4")).toMatchObject({
      "a.b": "2",
      "total.net": "3",
      "new.name": "4",
    });
  });
});
