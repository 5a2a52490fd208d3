import { beforeEach, describe, expect, it } from "vitest";
import { spellingsOf } from "../src/secret-spellings.ts";

/** Every character that somebody spells in another way, between letters that nobody does. */
const key = `k&l<m>n"o'p/q+r=s\\t!u*v(w)x~y\`z`;

// The last key that was spelled is remembered: every test is to see it spelled.
beforeEach(() => {
  spellingsOf("forgotten");
});

describe("a key with every character that is spelled in other ways", () => {
  it.each([
    ["as it is", key],
    ["by JSON.stringify", `k&l<m>n\\"o'p/q+r=s\\\\t!u*v(w)x~y\`z`],
    ["by PHP's json_encode", `k&l<m>n\\"o'p\\/q+r=s\\\\t!u*v(w)x~y\`z`],
    ["by JSON in HTML", `k\\u0026l\\u003cm\\u003en\\"o\\u0027p\\u002fq\\u002br=s\\\\t!u*v(w)x~y\`z`],
    ["by ASP.NET, in capitals", `k\\u0026l\\u003Cm\\u003En\\"o\\u0027p/q\\u002Br=s\\\\t!u*v(w)x~y\`z`],
    ["in HTML, by name", `k&amp;l&lt;m&gt;n&quot;o'p/q+r=s\\t!u*v(w)x~y\`z`],
    ["by lodash", `k&amp;l&lt;m&gt;n&quot;o&#39;p/q+r=s\\t!u*v(w)x~y\`z`],
    ["by Python", `k&amp;l&lt;m&gt;n&quot;o&#x27;p/q+r=s\\t!u*v(w)x~y\`z`],
    ["in HTML, by number", `k&#38;l&#60;m&#62;n&#34;o&#39;p&#47;q&#43;r&#61;s\\t!u*v(w)x~y&#96;z`],
    [
      "in HTML, by number in hexadecimal",
      `k&#x26;l&#x3c;m&#x3e;n&#x22;o&#x27;p&#x2f;q&#x2b;r&#x3d;s\\t!u*v(w)x~y&#x60;z`,
    ],
    ["with slashes, too", `k&amp;l&lt;m&gt;n&#34;o&#x27;p&#x2F;q+r=s\\t!u*v(w)x~y\`z`],
    ["by encodeURIComponent", "k%26l%3Cm%3En%22o'p%2Fq%2Br%3Ds%5Ct!u*v(w)x~y%60z"],
    ["by RFC 3986 to the letter", "k%26l%3Cm%3En%22o%27p%2Fq%2Br%3Ds%5Ct%21u%2Av%28w%29x%7Ey%60z"],
    ["in a URL, in small letters", "k%26l%3cm%3en%22o'p%2fq%2br%3ds%5ct!u*v(w)x~y%60z"],
    ["in base64", Buffer.from(key).toString("base64")],
  ])("is known %s", (_, spelled) => {
    expect(spellingsOf(key)).toContain(spelled);
  });

  it("is looked for in its longest spelling first, and in none twice", () => {
    const lengths = spellingsOf(key).map(({ length }) => length);
    expect(lengths).toEqual([...lengths].sort((a, b) => b - a));
    expect(new Set(spellingsOf(key)).size).toBe(15);
  });

  it("is spelled once, and again after another", () => {
    const spellings = spellingsOf(key);
    expect(spellingsOf(key)).toBe(spellings);
    expect(spellingsOf("another")).toEqual(["YW5vdGhlcg==", "another"]);
    expect(spellingsOf(key)).toEqual(spellings);
  });
});
