import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canDecode, codingsOf, Decoder } from "../../src/transport/decode.ts";
import { slowProperty } from "../support/fuzz.ts";
import { turns } from "../support/service.ts";

const encoders: { readonly [coding: string]: (bytes: Uint8Array) => Uint8Array } = {
  gzip: (bytes) => gzipSync(bytes),
  "x-gzip": (bytes) => gzipSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  br: (bytes) => brotliCompressSync(bytes),
};

/** Decodes bytes that arrive in these chunks, and returns every final event. */
async function decode(codings: readonly string[], chunks: readonly Uint8Array[]) {
  const parts: Uint8Array[] = [];
  const last: string[] = [];
  await new Promise<void>((resolve) => {
    const finish = (event: string) => {
      last.push(event);
      resolve();
    };
    const decoder = new Decoder(codings, {
      onChunk: (chunk) => parts.push(chunk),
      onEnd: () => finish("end"),
      onFailure: () => finish("failure"),
      onDrain: () => {},
    });
    for (const chunk of chunks) if (chunk.length > 0) decoder.write(chunk);
    decoder.end();
  });
  // A second final event would come from zlib's threads.
  await turns(5);
  return { bytes: Buffer.concat(parts), last };
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

describe("a decoder", () => {
  slowProperty("restores the bytes under any codings and in any chunks", () =>
    fc.asyncProperty(documents, codingLists, shares, async (bytes, codings, places) => {
      const header = codings.map((coding, at) => (at % 2 ? ` ${coding.toUpperCase()}` : coding)).join(",");
      expect(codingsOf(header)).toEqual(codings);
      expect(canDecode(codings)).toBe(true);
      const decoded = await decode(codings, cut(encode(bytes, codings), places));
      expect(decoded.last).toEqual(["end"]);
      expect(decoded.bytes.equals(bytes)).toBe(true);
    }),
  );

  slowProperty("restores bytes without the wrapper that deflate should have", () =>
    fc.asyncProperty(documents, shares, async (bytes, places) => {
      const decoded = await decode(["deflate"], cut(deflateRawSync(bytes), places));
      expect([decoded.last, decoded.bytes.equals(bytes)]).toEqual([["end"], true]);
    }),
  );

  slowProperty("fails if the end of the bytes is missing", () =>
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

  it("reports one final event if the inner coding ends and the outer one is truncated", async () => {
    const { last } = await decode(["br", "deflate"], [Uint8Array.of(178, 76, 0)]);
    expect(last).toHaveLength(1);
  });
});
