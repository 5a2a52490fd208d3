import fc from "fast-check";
import { format } from "prettier";
import { describe, expect, it } from "vitest";
import * as zod4 from "zod";
import * as zod3 from "zod-3";
import { template } from "../../../src/template.ts";
import { Samples } from "../../../src/template-types/samples.ts";
import type { TemplateShape } from "../../../src/template-types/shape.ts";
import { writeTypes } from "../../../src/template-types/write-types.ts";
import { slowestProperty, slowProperty } from "../../support/fuzz.ts";
import { anySamples, type Values } from "../../template-types/support/any-samples.ts";
import { anyTemplate, within } from "../../template-types/support/any-shape.ts";
import { errorsIn, expressionOf, run } from "../../template-types/support/compile.ts";
import { named } from "../../template-types/support/make-shape.ts";

const zods = { "zod 3": zod3, "zod 4": zod4 };

const textOf = (template: TemplateShape, zod: boolean) => writeTypes([template], { zod });

function templateOf(samples: readonly Values[], index: number): TemplateShape {
  const seen = new Samples();
  for (const sample of samples) seen.add(sample);
  return named(`t${index}`, [], seen.shape());
}

/** A program that uses values of these templates with the shapes of the samples. */
function using(lists: readonly (readonly Values[])[]): string {
  const uses = lists.map((samples, index) => {
    const values = samples.map((sample) => `  ${expressionOf(sample)},\n`).join("");
    return `export const v${index}: T${index}Values[] = [\n${values}];\nvoid client.generate(t${index}, v${index}[0] ?? never());\n`;
  });
  return `${uses.join("\n")}declare const client: import("template-pdf").TemplatePdf<Templates>;\ndeclare function never(): never;\n`;
}

/** JSON with sorted property names. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? { properties: Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)) }
      : inner,
  );
}

describe("the types of arbitrary samples", () => {
  const programs = fc.array(fc.array(anySamples, { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 20,
    size: "max",
  });

  // Compiles many files together, because the compiler does most of its work once per program.
  slowestProperty("compile under every strict flag and accept every sample", () =>
    fc.property(programs, (all) => {
      const files = all.map((lists, index) => {
        const written = writeTypes(lists.map(templateOf), { zod: false });
        return [`plain-${index}.ts`, `${written}${using(lists)}`] as const;
      });
      expect(errorsIn(Object.fromEntries(files))).toEqual([]);
    }),
  );

  for (const [name, zod] of Object.entries(zods)) {
    slowProperty(`have ${name} schemas that accept every sample unchanged`, () =>
      fc.property(anySamples, (samples) => {
        const { t0Schema } = run(textOf(templateOf(samples, 0), true), { zod, "template-pdf": { template } });
        for (const sample of samples) {
          expect(canonical((t0Schema as zod4.ZodType).parse(sample))).toBe(canonical(sample));
        }
      }),
    );
  }
});

describe("the types of arbitrary shapes", () => {
  const templates = fc.sample(anyTemplate, { numRuns: 8, seed: 20_261_121 }).map((template, index) => {
    const isRecursive = [...template.definitions.values()].includes(template.shape);
    const shape = isRecursive ? template.shape : within(template.shape);
    return { ...template, uid: `t${index}`, shape };
  });

  it("compile under every strict flag, with or without zod schemas", { timeout: 60_000 }, () => {
    const plain = writeTypes(templates, { zod: false });
    const written = writeTypes(templates, { zod: true });
    const files = { "plain/shapes.ts": plain, "zod-3/shapes.ts": written, "zod-4/shapes.ts": written };
    expect(errorsIn(files)).toEqual([]);
  });

  for (const zod of [false, true]) {
    slowProperty(`match Prettier's formatting${zod ? ", even with schemas" : ""}`, () =>
      fc.asyncProperty(anyTemplate, async (template) => {
        const text = textOf(template, zod);
        expect(text).toBe(await format(text, { parser: "typescript" }));
      }),
    );
  }
});
