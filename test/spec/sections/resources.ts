import { Readable } from "node:stream";
import { expect } from "vitest";
import {
  ConfigurationError,
  NotFoundError,
  type PendingPdf,
  TemplatePdf,
  ValuesError,
} from "../../../src/index.ts";
import { readPdf } from "../../support/pdf-text.ts";
import { proofs } from "../proof.ts";
import { headerOf, samplePdf, textOf } from "../service.ts";

const awkwardUids = [
  "a/b",
  "../v2/x",
  "a?b=c",
  "a#b",
  "100 %",
  "%2F",
  "Größe £",
  "😀",
  "a;b,c@d:e&f=g+h",
  "~'()*!",
];

/** Every form of a document, read to its end. */
const forms: Record<string, (pdf: PendingPdf) => Promise<ArrayBuffer>> = {
  "bytes()": async (pdf) => (await pdf.bytes()).buffer as ArrayBuffer,
  "buffer()": async (pdf) => bytesOf([await pdf.buffer()]),
  "arrayBuffer()": (pdf) => pdf.arrayBuffer(),
  "blob()": async (pdf) => (await pdf.blob()).arrayBuffer(),
  "stream()": async (pdf) => new Response(await pdf.stream()).arrayBuffer(),
  "nodeStream()": async (pdf) => bytesOf(await (await pdf.nodeStream()).toArray()),
  "response()": async (pdf) => (await pdf.response()).arrayBuffer(),
  "for await": async (pdf) => bytesOf(await Readable.from(pdf).toArray()),
};

function bytesOf(chunks: Uint8Array<ArrayBuffer>[]): Promise<ArrayBuffer> {
  return new Blob(chunks).arrayBuffer();
}

export const resources = proofs("Resources and their fields", (prove) => {
  for (const uid of [undefined, null, 7, {}, "", ".", "..", "a\nb", "\ud800"]) {
    prove(
      "Template | uid | string | yes",
      `${JSON.stringify(uid)} is refused, and nothing is sent`,
      async ({ pdfs, service }) => {
        await expect(pdfs.generate(uid as string, {}).bytes()).rejects.toThrow(ConfigurationError);
        expect(service.calls).toEqual([]);
      },
    );
  }

  prove("Identifies the template.", "another uid, another document", async ({ pdfs }) => {
    const uids = ["inv_2024", "certificate"];
    const documents = await Promise.all(uids.map((uid) => pdfs.generate(uid, {}).bytes()));
    const read = await Promise.all(documents.map(readPdf));
    expect(read.map(({ text }) => text.trim())).toEqual(["Template inv_2024", "Template certificate"]);
  });

  prove("Identifies the template.", "an unknown uid is a NotFoundError that names it", async ({ pdfs }) => {
    const call = pdfs.generate("inv_1999", {}).bytes();
    await expect(call).rejects.toThrow(NotFoundError);
    await expect(call).rejects.toThrow(/"inv_1999"/);
  });

  for (const uid of awkwardUids) {
    prove(
      "Appears in the path as `:uid`.",
      `${uid} is one segment of it, and reaches the other side as it is`,
      async ({ pdfs, service }) => {
        const asked: string[] = [];
        service.templates.add(uid);
        service.produce = ({ uid: arrived }) => {
          asked.push(arrived);
          return { bytes: samplePdf };
        };
        await pdfs.generate(uid, {}).bytes();
        expect(asked).toEqual([uid]);
        expect(service.call.path).toMatch(/^\/api\/v1\/templates\/[^/?#]+\/generate-sync$/);
      },
    );
  }

  const valuesRow =
    "Template values (request body) | one property per placeholder of the template | JSON object; property names are defined by the template | yes";
  for (const values of [undefined, null, [], [{}], "text", 7, true, () => ({})]) {
    prove(
      valuesRow,
      `${JSON.stringify(values) ?? typeof values} is no JSON object: refused, and nothing is sent`,
      async ({ pdfs, service }) => {
        await expect(pdfs.generate("inv_2024", values as object).bytes()).rejects.toThrow(ValuesError);
        expect(service.calls).toEqual([]);
      },
    );
  }

  prove(valuesRow, "any name a template may define arrives as it is", async ({ pdfs, service }) => {
    const json = '{"":"a","with space":"b","Größe":"c","__proto__":"d","constructor":"e","total.net[0]":"f"}';
    await pdfs.generate("inv_2024", JSON.parse(json)).bytes();
    expect(textOf(service.call)).toBe(json);
  });

  prove(
    "Each property supplies the value for one templated field.",
    "each value stands in the document, at its own field",
    async ({ pdfs }) => {
      const values = { customer: "Zoë Müller", place: "Łódź", note: "façade – naïve “quote”" };
      const { text } = await readPdf(await pdfs.generate("inv_2024", values).bytes());
      for (const [name, value] of Object.entries(values)) expect(text).toContain(`${name}: ${value}`);
    },
  );

  prove(
    "Example shapes show string values such as a date text and a formatted money text.",
    "such texts stand in the document letter by letter: the client formats nothing",
    async ({ pdfs, service }) => {
      const values = { date: "20 November 2026", total: "£1,000,000" };
      const { text } = await readPdf(await pdfs.generate("inv_2024", values).bytes());
      expect(text).toContain("date: 20 November 2026 total: £1,000,000");
      expect(textOf(service.call)).toBe('{"date":"20 November 2026","total":"£1,000,000"}');
    },
  );

  for (const apiKey of [undefined, "", 7, {}]) {
    prove(
      "API key | secret string | string | yes",
      `${JSON.stringify(apiKey)} is refused`,
      async ({ service: { baseUrl } }) => {
        expect(() => new TemplatePdf({ baseUrl, apiKey: apiKey as string })).toThrow(ConfigurationError);
      },
    );
  }

  prove("Sent in the Authorization header.", "and nowhere else", async ({ pdfs, service }) => {
    await pdfs.generate("inv_2024", { total: "£1,000,000" }).bytes();
    const { method, path, headers } = service.call;
    const holders = headers.filter(([, value]) => value.includes(service.apiKey));
    expect(holders.map(([name]) => name.toLowerCase())).toEqual(["authorization"]);
    expect(method + path + textOf(service.call)).not.toContain(service.apiKey);
  });

  prove(
    "Obtained from the dashboard.",
    "the client asks nobody else for one: without a key it sends nothing and says where keys are",
    async ({ service }) => {
      expect(() => new TemplatePdf({ baseUrl: service.baseUrl })).toThrow(/dashboard/);
      expect(service.calls).toEqual([]);
    },
  );

  prove(
    "Written as `<API_KEY>`.",
    "a key goes out as it is, whatever its characters",
    async ({ pdfs, service }) => {
      const { oddApiKey } = service;
      await pdfs.with({ apiKey: oddApiKey }).generate("inv_2024", {}).bytes();
      expect(headerOf(service.call, "authorization")).toBe(`API-Key ${oddApiKey}`);
    },
  );

  for (const [form, read] of Object.entries(forms)) {
    prove(
      "Generated PDF | binary stream | PDF bytes | n/a",
      `${form} gives these bytes, none changed`,
      async ({ pdfs, service }) => {
        service.produce = () => ({ bytes: samplePdf });
        const bytes = await read(pdfs.generate("inv_2024", {}));
        expect(Buffer.from(bytes).equals(samplePdf)).toBe(true);
      },
    );
  }

  prove(
    "Returned as the response body.",
    "the document is the body, from its first byte to its last",
    async ({ pdfs, service }) => {
      service.answer = () => ({ headers: { "x-pdf": "elsewhere" }, body: samplePdf });
      expect(await pdfs.generate("inv_2024", {}).bytes()).toEqual(samplePdf);
    },
  );

  const openRow =
    "Fields of the template beyond its uid, and the rules for the value types of template properties: not shown.";
  prove(openRow, "values of any JSON type travel unchanged", async ({ pdfs, service }) => {
    const values = {
      text: "",
      number: -1.5e-7,
      yes: true,
      nothing: null,
      lines: [{ price: 12.5, tags: ["a", "b"] }, [], {}],
      nested: { deeper: { deepest: [null, false, 0] } },
    };
    await pdfs.generate("inv_2024", values).bytes();
    expect(textOf(service.call)).toBe(JSON.stringify(values));
  });

  prove(openRow, "an empty object is an object", async ({ pdfs, service }) => {
    await pdfs.generate("inv_2024", {}).bytes();
    expect(textOf(service.call)).toBe("{}");
  });
});
