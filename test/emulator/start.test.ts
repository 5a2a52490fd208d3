import { describe, expect, it } from "vitest";
import { readPdf } from "../support/pdf-text.ts";
import { clientOf, rejectionOf, Service } from "../support/service.ts";
import { generate, pixel, shareEmulator, textOf } from "./emulated.ts";

const letter = 'export default ({ name }) => ({ content: [{ text: "Dear " + name }] });';

const failing: Readonly<Record<string, readonly [template: string, reason: string]>> = {
  throws: ['export default () => { throw new Error("secret-detail"); };', "throws.mjs:1:30: secret-detail"],
  rejects: ['export default async () => { throw new Error("secret-detail"); };', "secret-detail"],
  "returns-null": ["export default () => null;", "its function returned null"],
  "names-a-missing-font": ['export default () => ({ content: { text: "a", font: "Arial" } });', "Arial"],
  "has-a-footer-that-throws": [
    'export default () => ({ content: "a", footer() { throw new Error("secret-detail"); } });',
    "secret-detail",
  ],
};

const shared = shareEmulator({
  "letter.mjs": letter,
  "επιστολή 1.mjs": letter.replace("export default (", "export default async ("),
  "linked.mjs": "export default ({ image }) => ({ images: { logo: image }, content: [{ image: 'logo' }] });",
  "late.mjs": `export default async () => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    return { content: "a", footer() { throw new Error("laid out"); } };
  };`,
  // A minimal Standard Schema. The emulator treats the schemas of all libraries the same way.
  "bill.mjs": `
export const schema = { "~standard": { version: 1, vendor: "test", async validate(values) {
  if (values.throws) throw new Error("no such currency: " + values.throws);
  const issues = [];
  if (typeof values.total !== "string") issues.push({ message: "Expected text, got " + values.total, path: ["total"] });
  if (values.lines?.[1]?.price === 0) issues.push({ message: "Expected more", path: ["lines", { key: 1 }, "price"] });
  return issues.length > 0 ? { issues } : { value: { total: values.total.toUpperCase() } };
} } };
export default ({ total }) => ({ content: "Total " + total });
`,
  "json-bill.json": JSON.stringify({
    schema: { type: "object", properties: { total: { type: "string" } } },
    content: [{ text: "Total {{total}}" }, { text: "{{customer.name}}" }],
  }),
  "due.json": JSON.stringify({ content: "{{due | date}}" }),
  "logo.js": "{",
  "._letter.mjs": "{",
  "notes.txt": "",
  "shared.mjs/inner.mjs": "{",
  ...Object.fromEntries(Object.entries(failing).map(([uid, [template]]) => [`${uid}.mjs`, template])),
});

describe("startEmulator()", () => {
  it("renders a template file with the call's values", async () => {
    const response = await generate(shared, "letter", { name: "Zoë £ Łucja Ωμέγα" });
    expect(response.status).toBe(200);
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/pdf",
      "content-disposition": 'attachment; filename="letter.pdf"',
      "content-length": String(bytes.byteLength),
    });
    const text = expect.stringContaining("Dear Zoë £ Łucja Ωμέγα");
    expect(await readPdf(bytes)).toEqual({ pages: 1, text });
  });

  it("renders each of several concurrent calls with its own values", async () => {
    const uids = ["letter", "επιστολή 1", "letter"];
    const texts = await Promise.all(uids.map((uid, index) => textOf(shared, uid, { name: `N${index}.` })));
    expect(texts).toEqual(uids.map((_, index) => expect.stringContaining(`Dear N${index}.`)));
  });

  const unknown = ["receipt", "../letter", "letter.mjs", "Letter", "__proto__", "logo", "shared"];

  it.each(unknown)("responds with 404 for a uid that has no template file: `%s`", async (uid) => {
    const response = await generate(shared, uid);
    expect(response.status).toBe(404);
    const { detail } = await response.json();
    expect(detail).toMatch(/^There is no template with the uid ".*"\. This emulator has these templates: /);
    expect(detail.split("these templates:")[1]).not.toMatch(/notes|logo|shared|\._/);
  });

  it.each([
    ["/api/v1", "because the client adds it"],
    ["/foo", "because the emulator has no path prefix"],
    ["/foo/api/v1", "because the emulator has no path prefix"],
  ])("tells a client whose base URL has a path to remove the path: %s", async (path, why) => {
    const response = await generate({ ...shared, baseUrl: shared.baseUrl + path }, "letter");
    expect(response.status).toBe(404);
    expect((await response.json()).detail).toBe(
      `This path does not exist. Remove ${path} from \`baseUrl\`, ${why}.`,
    );
  });

  it("does not let a document access the network", async () => {
    // A valid image, so that only the access policy can prevent it from loading.
    const other = await Service.start(({ response }) => response.end(Buffer.from(pixel, "base64")));
    expect((await generate(shared, "linked", { image: `${other.baseUrl}/pixel.png` })).status).toBe(500);
    expect(String(shared.errors.at(-1))).toContain("Access to URL denied");
    expect(other.requests).toEqual([]);
  });
});

describe("a template that fails", () => {
  /** The headers of a call that a proxy forwards. */
  const forwarded = (name: string) => ({
    headers: {
      authorization: `API-Key ${shared.apiKey}`,
      "content-type": "application/json",
      [name]: "10.0.0.1",
    },
  });

  it.each(Object.entries(failing))(
    "causes a 500 with the reason on this machine: `%s`",
    async (uid, [, reason]) => {
      const before = shared.errors.length;
      const response = await generate(shared, uid);
      const type = response.headers.get("content-type");
      expect({ status: response.status, type }).toEqual({ status: 500, type: "application/problem+json" });
      const { detail } = await response.json();
      expect(detail).toMatch(/ cannot be rendered: \S+\.mjs:\d+:\d+(?:, \S+)?: /);
      expect(detail).toContain(reason);
      const message = expect.stringContaining(reason);
      expect(shared.errors.slice(before)).toEqual([expect.objectContaining({ message })]);
      expect((await generate(shared, "letter")).status).toBe(200);
    },
  );

  it.each(["x-forwarded-for", "forwarded", "via", "x-real-ip"])(
    "causes a 500 without the reason for a caller behind a proxy that sends %s",
    async (name) => {
      const body = await (await generate(shared, "throws", {}, forwarded(name))).text();
      expect(body).toContain("For the position and the reason, see the emulator's terminal");
      expect(body).not.toMatch(/secret-detail|throws\.mjs/);
    },
  );

  it("does not cause an error if the caller disconnects before the layout", async () => {
    const before = shared.errors.length;
    expect((await generate(shared, "late")).status).toBe(500);
    expect(shared.errors).toHaveLength(before + 1);
    const left = generate(shared, "late", {}, { signal: AbortSignal.timeout(50) });
    await expect(left).rejects.toMatchObject({ name: "TimeoutError" });
    // The only thread runs this call after the aborted one.
    expect((await generate(shared, "letter")).status).toBe(200);
    expect(shared.errors).toHaveLength(before + 1);
  });
});

describe("a template's schema", () => {
  it("determines the values that the template receives", async () => {
    expect(await textOf(shared, "bill", { total: "one" })).toContain("Total ONE");
  });

  it("rejects invalid values with a 422 that contains their paths (schema in a module)", async () => {
    const response = await generate(shared, "bill", { total: 987654, lines: [{}, { price: 0 }] });
    const issues = "total Expected text, got [redacted]; lines[1].price Expected more.";
    expect(await response.json()).toEqual({
      type: "urn:template-pdf:problem:invalid-values",
      title: "Unprocessable Content",
      status: 422,
      detail: `The values do not match the template "bill" (bill.mjs): ${issues}`,
      errors: [
        { path: "total", detail: "Expected text, got [redacted]" },
        { path: "lines[1].price", detail: "Expected more" },
      ],
    });
  });

  it("rejects invalid values with a 422 that contains their paths (schema in a JSON file)", async () => {
    const values = { total: "£1", customer: { name: "Zoë" } };
    expect(await textOf(shared, "json-bill", values)).toContain("Total £1");
    const wrongType = await (await generate(shared, "json-bill", { total: 987654 })).json();
    expect(wrongType).toMatchObject({ status: 422, errors: [{ path: "total" }] });
    expect(JSON.stringify(wrongType)).not.toContain("987654");
    const client = clientOf(shared.baseUrl, { apiKey: shared.apiKey });
    const missing = await rejectionOf(client.generate("json-bill", { total: "£1" }).bytes());
    expect(missing).toMatchObject({ code: "bad_request", body: { errors: [{ path: "customer.name" }] } });
    expect((missing as Error).message).toMatch(/json-bill\.json.*content\[1\]\.text/);
  });

  it("rejects a date with a hint that the client does not redact, whatever the other values are", async () => {
    const client = clientOf(shared.baseUrl, { apiKey: shared.apiKey });
    const values = { due: "tomorrow", year: 2026, born: "2026-11-20", other: "2026-11-20T09:30:00Z" };
    const error = await rejectionOf(client.generate("due", values).bytes());
    expect((error as Error).message).toContain(
      "due must be a date that exists, in the form YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ",
    );
    expect((error as Error).message).not.toContain("tomorrow");
  });

  it("causes a 500 if the schema throws, and onError receives the file and line", async () => {
    expect((await generate(shared, "bill", { throws: "secret-value" })).status).toBe(500);
    const error = shared.errors.at(-1);
    expect(error?.message).toMatch(/bill\.mjs:3:28: no such currency: /);
    expect(error?.stack).not.toContain("secret");
  });
});
