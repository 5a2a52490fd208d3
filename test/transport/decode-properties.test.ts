import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect } from "vitest";
import { canDecode, codingsOf, Decoder } from "../../src/transport/decode.ts";
import { slowProperty } from "../support/fuzz.ts";

const encoders: { readonly [coding: string]: (bytes: Uint8Array) => Uint8Array } = {
  gzip: (bytes) => gzipSync(bytes),
  "x-gzip": (bytes) => gzipSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  br: (bytes) => brotliCompressSync(bytes),
};

/** What comes out of encoded bytes that arrive in these chunks: the bytes, and how it ended. */
function decode(
  codings: readonly string[],
  chunks: readonly Uint8Array[],
): Promise<{ bytes: Buffer; last: string[] }> {
  return new Promise((resolve) => {
    const got: Uint8Array[] = [];
    const last: string[] = [];
    const finish = (how: string) => {
      last.push(how);
      // Whoever tells twice does so at once, or in the next turn.
      setImmediate(() => resolve({ bytes: Buffer.concat(got), last }));
    };
    const decoder = new Decoder(codings, {
      onChunk: (chunk) => got.push(chunk),
      onEnd: () => finish("end"),
      onFailure: () => finish("failure"),
      onDrain: () => {},
    });
    for (const chunk of chunks) if (chunk.length > 0) decoder.write(chunk);
    decoder.end();
  });
}

function cut(bytes: Uint8Array, shares: readonly number[]): Uint8Array[] {
  const places = shares.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}

const share = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const shares = fc.array(share, { maxLength: 6 });
const documents = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc
    .tuple(fc.uint8Array({ minLength: 1, maxLength: 9 }), fc.nat(9000))
    .map(([unit, times]) => Buffer.alloc(unit.length * times, unit)),
);
const codingLists = fc.array(fc.constantFrom(...Object.keys(encoders)), { minLength: 1, maxLength: 5 });
const encode = (bytes: Uint8Array, codings: readonly string[]) =>
  codings.reduce((inner, coding) => encoders[coding]?.(inner) ?? inner, bytes);

describe("a body under content codings", () => {
  slowProperty("comes out as it went in, whatever the codings and the chunks are", () =>
    fc.asyncProperty(documents, codingLists, shares, async (bytes, codings, places) => {
      const header = codings.map((coding, at) => (at % 2 ? ` ${coding.toUpperCase()}` : coding)).join(",");
      expect(codingsOf(header)).toEqual(codings);
      expect(canDecode(codings)).toBe(true);
      const decoded = await decode(codings, cut(encode(bytes, codings), places));
      expect(decoded.last).toEqual(["end"]);
      expect(decoded.bytes.equals(bytes)).toBe(true);
    }),
  );

  slowProperty("comes out without the wrapper that deflate should have", () =>
    fc.asyncProperty(documents, shares, async (bytes, places) => {
      const raw = deflateRawSync(bytes);
      const decoded = await decode(["deflate"], cut(raw, places));
      expect([decoded.last, decoded.bytes.equals(bytes)]).toEqual([["end"], true]);
    }),
  );

  slowProperty("never ends well where its end is missing", () =>
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 300 }),
      codingLists,
      share,
      shares,
      async (bytes, codings, where, places) => {
        const whole = encode(bytes, codings);
        const length = Math.floor(where * whole.length);
        fc.pre(length > 0);
        expect((await decode(codings, cut(whole.subarray(0, length), places))).last).toEqual(["failure"]);
      },
    ),
  );
});
