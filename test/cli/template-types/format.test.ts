import fc from "fast-check";
import { format } from "prettier";
import { describe, expect } from "vitest";
import { writeTypes } from "../../../src/cli/template-types/write-types.ts";
import { slowProperty } from "../../support/fuzz.ts";
import { anyTemplate } from "./support/any-shape.ts";

describe("a written file", () => {
  for (const zod of [false, true]) {
    slowProperty(`is what Prettier would leave as it is${zod ? ", with schemas" : ""}`, () =>
      fc.asyncProperty(anyTemplate, async (template) => {
        const written = writeTypes([template], { zod });
        expect(written).toBe(await format(written, { parser: "typescript" }));
      }),
    );
  }
});
