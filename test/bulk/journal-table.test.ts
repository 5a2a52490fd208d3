import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KeyTable } from "../../src/bulk/journal/key-table.ts";
import { property } from "../support/fuzz.ts";

/** Of few values, so that keys share words and slots. */
const word = fc.constantFrom(0, 1, 1023, 1024, 0xffff_ffff);
const record = fc.tuple(word, word, word, word, word, word).map((words) => Uint32Array.from(words));

describe("the table of keys", () => {
  property("knows what a map knows", () =>
    fc.property(fc.array(record, { maxLength: 60 }), (records) => {
      const table = new KeyTable();
      const map = new Map<string, { input: string; index: number; place: number }>();
      for (const [index, each] of records.entries()) {
        const [key, input] = [each.slice(0, 3).join(), each.slice(3).join()];
        const known = map.get(key);
        const place = table.find(each);
        expect(place).toBe(known?.place ?? -1);
        if (known) {
          expect(table.hasInput(place, each)).toBe(known.input === input);
          expect(table.indexAt(place)).toBe(known.index);
          table.setInput(place, each);
        } else {
          expect(table.add(each)).toBe(map.size);
          expect(table.indexAt(map.size)).toBeUndefined();
        }
        map.set(key, { input, index, place: known?.place ?? map.size });
        table.setIndex(map.get(key)?.place as number, index);
        expect([...table.recordAt(map.get(key)?.place as number)]).toEqual([...each]);
      }
      return table.size === map.size;
    }),
  );

  it("finds every key again when it has grown over many pages", () => {
    const table = new KeyTable();
    const count = 30_000;
    const of = (index: number) => Uint32Array.of(index * 0x9e37_79b1, index % 7, 3, index, 5, 6);
    for (let index = 0; index < count; index++) table.add(of(index));
    let found = 0;
    for (let index = 0; index < count; index++) {
      const place = table.find(of(index));
      if (place === index && table.hasInput(place, of(index))) found++;
    }
    expect({ found, size: table.size, other: table.find(of(count)) }).toEqual({
      found: count,
      size: count,
      other: -1,
    });
  });
});
