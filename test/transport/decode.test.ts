import { describe, expect, it } from "vitest";
import { Decoder } from "../../src/transport/decode.ts";

describe("a decoder of several codings", () => {
  it("says one last thing where the inner coding ends and the outer one is cut", async () => {
    const heard: string[] = [];
    let heardLast = () => {};
    const last = new Promise<void>((resolve) => {
      heardLast = resolve;
    });
    const hear = (what: string) => {
      heard.push(what);
      heardLast();
    };
    const decoder = new Decoder(["br", "deflate"], {
      onChunk: () => {},
      onEnd: () => hear("end"),
      onFailure: () => hear("failure"),
      onDrain: () => {},
    });
    decoder.write(Uint8Array.of(178, 76, 0));
    decoder.end();
    await last;
    // What is still under way in zlib's threads comes back in these.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(heard).toHaveLength(1);
  });
});
