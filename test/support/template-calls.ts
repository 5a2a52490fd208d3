import { type StandardSchemaV1, type Template, TemplatePdf } from "template-pdf";
import { expect } from "vitest";

/** Generates a document from a template; gives the values that were sent. */
export async function send(given: Template | string, values: unknown): Promise<unknown> {
  const bodies: string[] = [];
  const pdfs = new TemplatePdf({
    baseUrl: "https://pdf.example.com",
    apiKey: "k3y",
    fetch: async (_url, { body }) => {
      bodies.push(body);
      return new Response("%PDF-1.7\n%%EOF\n");
    },
  });
  await pdfs.generate(given as string, values as object).bytes();
  expect(bodies).toHaveLength(1);
  return JSON.parse(bodies[0] ?? "");
}

/** Generates a document in vain; gives the error, after which nothing was sent. */
export async function refusal(given: Template | string, values: unknown): Promise<unknown> {
  let sent = false;
  const pdfs = new TemplatePdf({
    baseUrl: "https://pdf.example.com",
    apiKey: "k3y",
    fetch: async () => {
      sent = true;
      return new Response();
    },
  });
  const error = await pdfs
    .generate(given as string, values as object)
    .bytes()
    .then(
      () => undefined,
      (reason: unknown) => reason,
    );
  expect(sent).toBe(false);
  return error;
}

/** A schema of another make, in the fewest words. */
export function schemaOf(validate: (value: unknown) => unknown): StandardSchemaV1 {
  return { "~standard": { version: 1, vendor: "test", validate: validate as never } };
}
