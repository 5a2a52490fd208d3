import { expect, it, vi } from "vitest";
import { type ApiError, TemplatePdf } from "../../src/index.ts";
import { emulate, generate, textOf } from "./emulated.ts";

/** A Standard Schema by hand; what the emulator does with it is what every library's gets. */
const handmade = `
export const schema = { "~standard": { version: 1, vendor: "test", async validate(values) {
  if (values.throws) throw new Error("no such currency: " + values.throws);
  const issues = [];
  if (typeof values.total !== "string") issues.push({ message: "Expected text, got " + values.total, path: ["total"] });
  if (values.lines?.[1]?.price === 0) issues.push({ message: "Expected more", path: ["lines", { key: 1 }, "price"] });
  return issues.length > 0 ? { issues } : { value: { total: values.total.toUpperCase() } };
} } };
export default ({ total }) => ({ content: "Total " + total });
`;

it("a template gets what its schema gives", async () => {
  expect(await textOf(await emulate({ "bill.mjs": handmade }), "bill", { total: "one" })).toContain(
    "Total ONE",
  );
});

it("values that the schema of a module refuses are a 422 with their paths, and without themselves", async () => {
  const emulator = await emulate({ "bill.mjs": handmade });
  const response = await generate(emulator, "bill", { total: 987654, lines: [{}, { price: 0 }] });
  expect(response.status).toBe(422);
  const problem = await response.json();
  expect(problem).toEqual({
    type: "urn:template-pdf:problem:invalid-values",
    title: "Unprocessable Content",
    status: 422,
    detail:
      'The values do not fit the template "bill" (bill.mjs): total Expected text, got [redacted]; lines[1].price Expected more.',
    errors: [
      { path: "total", detail: "Expected text, got [redacted]" },
      { path: "lines[1].price", detail: "Expected more" },
    ],
  });
});

it("zod's schemas do, too", async () => {
  const zod = import.meta.resolve("zod");
  const source = `import * as z from ${JSON.stringify(zod)};
    export const schema = z.object({ total: z.string(), lines: z.array(z.object({ price: z.string() })) });
    export default ({ total }) => ({ content: total });`;
  const response = await generate(await emulate({ "bill.mjs": source }), "bill", { lines: [{ price: 1 }] });
  expect(response.status).toBe(422);
  expect((await response.json()).errors.map(({ path }: { path: string }) => path)).toEqual([
    "total",
    "lines[0].price",
  ]);
});

it("values that the schema of a JSON file refuses, or that it misses, are a 422 with their paths", async () => {
  const emulator = await emulate({
    "bill.json": JSON.stringify({
      schema: { type: "object", properties: { total: { type: "string" } } },
      content: [{ text: "Total {{total}}" }, { text: "{{customer.name}}" }],
    }),
  });
  expect(await textOf(emulator, "bill", { total: "£1", customer: { name: "Zoë" } })).toContain("Total £1");
  const wrongType = await (await generate(emulator, "bill", { total: 987654 })).json();
  expect(wrongType).toMatchObject({ status: 422, errors: [{ path: "total" }] });
  expect(JSON.stringify(wrongType)).not.toContain("987654");
  const missing = await (await generate(emulator, "bill", { total: "£1" })).json();
  expect(missing).toMatchObject({ status: 422, errors: [{ path: "customer.name" }] });
  expect(missing.detail).toContain("bill.json");
  expect(missing.detail).toContain("content[1].text");
});

it("our own client tells what is missing", async () => {
  const { baseUrl, apiKey } = await emulate({ "bill.json": '{"content":"Total {{total}}"}' });
  const pdfs = new TemplatePdf({ baseUrl, apiKey });
  const error: ApiError = await pdfs
    .generate("bill", {})
    .bytes()
    .catch((reason) => reason);
  expect(error).toMatchObject({ code: "bad_request", status: 422 });
  expect(error.message).toContain("total has no value");
});

it("a schema that throws is a 500 that names its file and line", async () => {
  const onError = vi.fn();
  const emulator = await emulate({ "bill.mjs": handmade }, { onError });
  const response = await generate(emulator, "bill", { throws: "secret-value" });
  expect(response.status).toBe(500);
  const [error] = onError.mock.calls[0] ?? [];
  expect(error.message).toMatch(/bill\.mjs:3:28: no such currency: /);
  expect(error.stack).not.toContain("secret");
});

it.each([
  ["a schema that is none", "export const schema = {}; export default () => ({});", "no Standard Schema"],
  ["a sample that is none", "export const sample = []; export default () => ({});", "no object of values"],
])("%s stops the start", async (_wrong, source, message) => {
  await expect(emulate({ "bill.mjs": source })).rejects.toThrow(message);
});
