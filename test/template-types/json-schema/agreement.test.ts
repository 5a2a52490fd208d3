import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as zod4 from "zod";
import * as zod3 from "zod-3";
import { parseSchema } from "../../../src/emulator/renderer/json/schema/json-schema.ts";
import { template } from "../../../src/template.ts";
import { shapeOfSchema } from "../../../src/template-types/json-schema/shape-of-schema.ts";
import { writeTypes } from "../../../src/template-types/write-types.ts";
import { slowProperty } from "../../support/fuzz.ts";
import { anyJsonSchema, anyValues, closed } from "../support/any-json-schema.ts";
import { errorsIn, expressionOf, run } from "../support/compile.ts";

type Values = Record<string, unknown>;

/** The values that the validator accepts, with the schema as it is and without unknown properties. */
function acceptedBy(schema: object, values: readonly Values[]): readonly Values[] {
  const checks = [schema, closed(schema)].map((each) =>
    parseSchema(each, "a.schema.json", (_, problem) => new Error(problem)),
  );
  return values.filter((one) => checks.every((check) => check(one).length === 0));
}

/** The shape of a schema; `undefined` if it is rejected because it accepts no object, or refers to itself. */
function read(schema: object) {
  try {
    return { uid: "t", sources: [], ...shapeOfSchema(schema, "a.schema.json") };
  } catch (error) {
    const reason = expect.stringMatching(/accepts no object|points back to itself/);
    expect(error).toMatchObject({ name: "SchemaFault", reason });
    return undefined;
  }
}

describe.each(Object.entries({ "zod 3": zod3, "zod 4": zod4 }))("a schema for %s", (_name, zod) => {
  slowProperty<"accepted" | "rejected" | "unreadable">(
    "accepts every value that the validator accepts, whatever the JSON Schema",
    (saw) =>
      fc.property(anyJsonSchema, anyValues, (schema, values) => {
        const found = read(schema);
        const accepted = acceptedBy(schema, values);
        if (found === undefined) {
          saw("unreadable");
          expect(accepted).toEqual([]);
          return;
        }
        saw(accepted.length > 0 ? "accepted" : "rejected");
        const code = writeTypes([found], { zod: true });
        const { tSchema } = run(code, { zod, "template-pdf": { template } }) as { tSchema: zod4.ZodType };
        for (const one of accepted) {
          expect(tSchema.safeParse(one).error?.issues, `${JSON.stringify(one)}\n${code}`).toBeUndefined();
        }
      }),
    { outcomes: ["accepted", "rejected", "unreadable"] },
  );
});

it("literals of values that the validator accepts compile, whatever the JSON Schema", {
  timeout: 120_000,
}, () => {
  const samples = fc.sample(fc.tuple(anyJsonSchema, anyValues), { numRuns: 80, seed: 20_261_128 });
  const found = samples.flatMap(([schema, values], index) => {
    const shape = read(schema);
    return shape ? [{ ...shape, uid: `t${index}`, accepted: acceptedBy(schema, values) }] : [];
  });
  expect(found.filter(({ accepted }) => accepted.length > 0).length).toBeGreaterThan(20);
  const uses = found.map(({ uid, accepted }) => {
    const lines = accepted.map((one) => `  ${expressionOf(one)},\n`).join("");
    return `export const values_${uid}: ${uid.toUpperCase()}Values[] = [\n${lines}];\n`;
  });
  const [plain, written] = [false, true].map((zod) => writeTypes(found, { zod }) + uses.join(""));
  expect(
    errorsIn({ "plain/t.ts": plain ?? "", "zod-3/t.ts": written ?? "", "zod-4/t.ts": written ?? "" }),
  ).toEqual([]);
});
