import { ServerError, TemplatePdf } from "template-pdf";
import { expect, it } from "vitest";
import { emulate } from "./emulated.ts";

it("a template that cannot be rendered is not retried, and the error says to fix it", async () => {
  const errors: unknown[] = [];
  const files = { "letter.json": '{"content":["{{name}}"]}', "broken.mjs": "export default () => null;" };
  const emulator = await emulate(files, { onError: (error) => errors.push(error) });
  const { baseUrl, apiKey } = emulator;
  const pdfs = new TemplatePdf({ baseUrl, apiKey });
  const error: unknown = await pdfs
    .generate("broken", {})
    .bytes()
    .catch((error) => error);
  expect(error).toBeInstanceOf(ServerError);
  expect(error).toMatchObject({ status: 500, attempts: 1 });
  expect((error as Error).message).toMatch(
    /"The template \\"broken\\" cannot be rendered\. .* Fix the template\./,
  );
  expect(errors).toHaveLength(1);
  await pdfs.close();
});
