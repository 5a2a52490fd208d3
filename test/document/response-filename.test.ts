import fc from "fast-check";
import { TemplatePdf } from "template-pdf";
import { describe, expect, it } from "vitest";
import { filenameOf as redactedFilenameOf } from "../../src/document/response-filename.ts";
import { anyCharacter, orLongRun, property } from "../support/fuzz.ts";
import { responseHeaders, serveRaw } from "../support/sockets.ts";

function filenameOf(disposition: string | undefined): string | undefined {
  return redactedFilenameOf(disposition, (name) => name);
}

/** A header as `fetch` reads it: one character for each byte. */
function bytes(header: string): string {
  return Buffer.from(header).toString("latin1");
}

it.each<[string | undefined, string | undefined]>([
  // RFC 6266, section 5 and appendix D
  ['INLINE; FILENAME= "an example.html"', "an example.html"],
  ["attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates", "€ rates"],
  // RFC 8187, section 3.2.3
  ["x; filename*=iso-8859-1'en'%A3%20rates", "£ rates"],
  // Other notations
  ['attachment ; filename = "a.pdf"', "a.pdf"],
  ['attachment; filename="the \\"best\\".pdf"', "the _best_.pdf"],
  ['attachment; filename="a\\\\b.pdf"', "b.pdf"],
  ["attachment; xfilename=evil.pdf; filename=good.pdf", "good.pdf"],
  ['attachment; filename="a.pdf', "a.pdf"],
  ['attachment; filename="a.pdf\\', "a.pdf"],
  ["attachment; filename=a.pdf; filename=b.pdf", "a.pdf"],
  // Unusable names
  [undefined, undefined],
  ["attachment", undefined],
  ['attachment; filename=""', undefined],
  ["attachment; filename", undefined],
  ["attachment filename=a.pdf", undefined],
  ["attachment; name=a.pdf; xfilename=b.pdf", undefined],
  ['attachment; example="filename=a.pdf"', undefined],
  ["attachment; filename*=UTF-8''%", undefined],
  // What browsers read (the tests of Chromium and Firefox)
  ['filename="a.pdf"', "a.pdf"],
  ["; filename=a.pdf", "a.pdf"],
  ["attachment; ;filename=a.pdf ;", "a.pdf"],
  ["attachment; filename=my invoice 12.pdf", "my invoice 12.pdf"],
  ["attachment; filename= my invoice 12.pdf ; size=3", "my invoice 12.pdf"],
  ["attachment; filename=abc,de.pdf", "abc,de.pdf"],
  ["attachment; filename=a[1](2)=b.pdf", "a[1](2)=b.pdf"],
  ["attachment; filename='a b.pdf'", "'a b.pdf'"],
  ['attachment; filename=a"b;c"d.pdf', "a_b;c_d.pdf"],
  ['attachment; filename="a;b.pdf"; x=y', "a;b.pdf"],
  ['attachment; x="\\"; filename=c.pdf"; filename=a.pdf', "a.pdf"],
  ['attachment; filename="a.pdf".txt', "a.pdf"],
  [bytes('attachment; filename="résumé 東京.pdf"'), "résumé 東京.pdf"],
  [bytes("attachment; filename=résumé 東京.pdf"), "résumé 東京.pdf"],
  ["attachment; filename=résumé.pdf", "résumé.pdf"],
  // A mock need not encode its headers.
  ["attachment; filename=résumé 東京.pdf", "résumé 東京.pdf"],
  ["attachment; filename=\ud800 €.pdf", "_ €.pdf"],
  ['attachment; filename="%EC%98%88%20%E6%9D%B1.pdf"', "예 東.pdf"],
  ['attachment; filename="50%.pdf"', "50%.pdf"],
  ["attachment; filename=%B7%DD.pdf", "%B7%DD.pdf"],
  ['attachment; filename="=?utf-8?B?w6kg5p2x5LqsLnBkZg==?="', "é 東京.pdf"],
  ["attachment; filename==?UTF-8?q?r=C3=A9sum=C3=A9_=5F100%41?= .pdf", "résumé _100%41.pdf"],
  ['inline; filename="=?iso-8859-1?Q?caf=E9_?=  =?euc-kr?b?v7m8+iAz?=.pdf"', "café 예술 3.pdf"],
  [bytes("attachment; filename=é =?utf-8?q?=C3=A9?= é.pdf"), "é éé.pdf"],
  ["attachment; filename==?utf-8?B?Li4vLi4vZXRjL3Bhc3N3ZA==?=", "passwd"],
  ["attachment; filename==?x-unknown?Q?a?=.pdf", "=_x-unknown_Q_a_=.pdf"],
  ["attachment; filename==?utf-8?Q?=FF?=.pdf", "=_utf-8_Q_=FF_=.pdf"],
  ["attachment; filename==?utf-8?B?!?=.pdf", "=_utf-8_B_!_=.pdf"],
  ["attachment; filename*=EUC-JP''%B7%DD%BD%D13.pdf", "芸術3.pdf"],
  ["attachment; filename*=\"UTF-8''a%20b.pdf\"", "a b.pdf"],
  ["attachment; filename*= UTF-8''a b.pdf", "a b.pdf"],
  // Unusable `filename*`
  ["attachment; filename=a.pdf; filename*=UTF-8''A%e4B", "a.pdf"],
  ["attachment; filename=a.pdf; filename*=''b.pdf", "a.pdf"],
  ["attachment; filename=a.pdf; filename*=b.pdf", "a.pdf"],
  ["attachment; filename=a.pdf; filename *=UTF-8''b.pdf", "a.pdf"],
  ["attachment; filename=a.pdf; filename*=xutf-8''b.pdf", "a.pdf"],
  ["attachment; filename=a.pdf; filename*=x-iso-8859-1''b.pdf", "a.pdf"],
  ["attachment; filename=a.pdf; filename*=UTF-8''%2e%2e%2f", "a.pdf"],
])("The file name in the Content-Disposition header `%s` is `%s`", (disposition, expected) => {
  expect(filenameOf(disposition)).toBe(expected);
});

describe.each([
  ["undici", {}],
  ["fetch", { fetch: globalThis.fetch }],
])("The file name of a document over %s", (_transport, options) => {
  it.each<[BufferEncoding, string]>([
    ["utf8", "résumé 東京.pdf"],
    ["latin1", "résumé.pdf"],
  ])("is read from the bytes of the header: %s", async (encoding, name) => {
    const server = await serveRaw((socket) => {
      const headers = ["content-length: 15", `content-disposition: attachment; filename="${name}"`];
      socket.write(Buffer.from(responseHeaders(200, headers), encoding));
      socket.write("%PDF-1.4\n%%EOF\n");
    });
    const client = new TemplatePdf({ baseUrl: server.origin, apiKey: "key-of-the-tests", ...options });
    await using pdf = await client.generate("invoice", {});
    expect(pdf.filename).toBe(name);
  });
});

describe("A file name", () => {
  const plain = (name: string) => filenameOf(`attachment; filename="${name.replace(/["\\]/g, "\\$&")}"`);
  const extended = (name: string) => filenameOf(`attachment; filename*=UTF-8''${encodeURIComponent(name)}`);

  it.each<[string, string | undefined]>([
    ["../../etc/passwd", "passwd"],
    ["a.pdf:stream", "a.pdf_stream"],
    ["a/", undefined],
    [".bashrc", "bashrc"],
    [" a.pdf. ", "a.pdf"],
    ["a<b>|c?*.pdf", "a_b__c__.pdf"],
    ["CON", "_CON"],
    ["Aux.pdf", "_Aux.pdf"],
    ["lpt9.pdf", "_lpt9.pdf"],
    [`${"x".repeat(300)}.template`, `${"x".repeat(240)}.template`],
  ])("has no folder and is safe on every system: %j becomes %j", (name, expected) => {
    expect({ plain: plain(name), extended: extended(name) }).toEqual({ plain: expected, extended: expected });
  });

  it.each(["a\0\r\nb.pdf", "a\u202efdp.exe\u2066\u2069\u200e\u200f\u061cb.pdf"])(
    "is cleaned of control characters and text direction marks: %j",
    (name) => {
      expect(extended(name)).toMatch(/^[a-z._]+$/);
    },
  );

  it.each(["x", "🧾"])("is shortened without splitting a character, and keeps its extension: %s…", (unit) => {
    for (const stem of [unit.repeat(400), `x${unit.repeat(400)}`, `${unit.repeat(300)} ${unit}`]) {
      const bare = extended(`${stem}.pdf`) ?? "";
      expect(Buffer.byteLength(bare)).toBeLessThanOrEqual(255);
      expect(Buffer.byteLength(bare)).toBeGreaterThan(235);
      expect(bare).toMatch(/^[^\s]+.*[^\s.]\.pdf$/u);
      expect(bare).not.toMatch(/\p{Surrogate}/u);
    }
  });

  const part = fc.oneof(
    fc.constantFrom(
      ...'../\\\0\u202e" .',
      "..",
      "%2e",
      "%2F",
      "%5c",
      "%00",
      "''",
      "UTF-8''",
      "CON",
      "=?utf-8?q?",
      "=?utf-8?B?",
      "?=",
      "=2F",
      "Li4v",
      ";",
      "=",
    ),
    fc.string({ unit: anyCharacter, maxLength: 9 }),
    fc.nat(300).map((length) => "x".repeat(length)),
    fc.string({ unit: anyCharacter, maxLength: 9 }).map(encodeURIComponent),
  );

  property(
    "is read from any header in linear time, has no folder and is safe on every system",
    (saw) => {
      const starts = [
        ...["filename=", 'filename="', "filename*=UTF-8''", "filename*=iso-8859-1''"],
        ...["filename==?utf-8?Q?", 'filename="=?iso-8859-1?b?', "filename*=euc-jp''"],
      ];
      const header = fc
        .tuple(fc.constantFrom(...starts), fc.array(part))
        .map(([start, parts]) => `attachment; ${start}${parts.join("")}`);
      return fc.property(orLongRun(fc.oneof(header, fc.string({ unit: anyCharacter }))), (disposition) => {
        const name = filenameOf(disposition);
        if (name === undefined) return saw("no name");
        saw("a name");
        expect(name).not.toMatch(/[/\\\p{Cc}\p{Cs}\p{Bidi_Control}<>:"|?*]|^$|^[.\s]|[.\s]$/u);
        expect(name).not.toMatch(/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
      });
    },
    { outcomes: ["a name", "no name"] },
  );
});
