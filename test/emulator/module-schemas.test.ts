import { expect, it } from "vitest";
import { clientOf, rejectionOf } from "../support/service.ts";
import { generate, shareEmulator, textOf } from "./emulated.ts";

const shared = shareEmulator({
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
  "zod-bill.mjs": `import * as z from ${JSON.stringify(import.meta.resolve("zod"))};
    export const schema = z.object({ total: z.string(), lines: z.array(z.object({ price: z.string() })) });
    export default ({ total }) => ({ content: total });`,
  "json-bill.json": JSON.stringify({
    schema: { type: "object", properties: { total: { type: "string" } } },
    content: [{ text: "Total {{total}}" }, { text: "{{customer.name}}" }],
  }),
});

it("a template receives the output of its schema", async () => {
  expect(await textOf(shared, "bill", { total: "one" })).toContain("Total ONE");
});

it("values that the schema of a module rejects cause a 422 with their paths but without the values", async () => {
  const response = await generate(shared, "bill", { total: 987654, lines: [{}, { price: 0 }] });
  expect(response.status).toBe(422);
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

it("values that a zod schema rejects cause a 422 with their paths", async () => {
  const response = await generate(shared, "zod-bill", { lines: [{ price: 1 }] });
  expect(response.status).toBe(422);
  expect((await response.json()).errors).toMatchObject([{ path: "total" }, { path: "lines[0].price" }]);
});

it("values that are missing or that the schema of a JSON file rejects cause a 422 with their paths", async () => {
  expect(await textOf(shared, "json-bill", { total: "£1", customer: { name: "Zoë" } })).toContain("Total £1");
  const wrongType = await (await generate(shared, "json-bill", { total: 987654 })).json();
  expect(wrongType).toMatchObject({ status: 422, errors: [{ path: "total" }] });
  expect(JSON.stringify(wrongType)).not.toContain("987654");
  const missing = await (await generate(shared, "json-bill", { total: "£1" })).json();
  expect(missing).toMatchObject({ status: 422, errors: [{ path: "customer.name" }] });
  expect(missing.detail).toMatch(/json-bill\.json.*content\[1\]\.text/);
});

it("the client reports missing values as a BadRequestError", async () => {
  const error = await rejectionOf(
    clientOf(shared.baseUrl, { apiKey: shared.apiKey }).generate("json-bill", { total: "£1" }).bytes(),
  );
  expect(error).toMatchObject({ code: "bad_request", status: 422 });
  expect((error as Error).message).toContain("customer.name has no value");
});

it("a schema that throws causes a 500, and the error names its file and line", async () => {
  expect((await generate(shared, "bill", { throws: "secret-value" })).status).toBe(500);
  const error = shared.errors.at(-1);
  expect(error?.message).toMatch(/bill\.mjs:3:28: no such currency: /);
  expect(error?.stack).not.toContain("secret");
});
