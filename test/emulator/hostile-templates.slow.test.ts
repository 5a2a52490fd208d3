import { describe, expect, it } from "vitest";
import { generate, shareEmulator, textOf } from "./emulated.ts";

const refusing = "new Proxy({}, { get: () => () => { throw new RangeError('must not be read'); } })";

/** Expressions for values that are difficult to read, by uid. */
const thrown = {
  nothing: "undefined",
  symbol: "Symbol('hostile')",
  traps: `new Proxy(new Error('hostile'), ${refusing})`,
  function: `new Proxy(() => {}, ${refusing})`,
  revoked: "(() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; })()",
  bare: "Object.setPrototypeOf(new Error('hostile'), null)",
  cyclic: "(() => { const error = new Error('hostile'); error.cause = error; return error; })()",
  getters: `(() => {
    const error = new Error("hostile");
    void error.stack;
    for (const key of ["name", "message", "code", "stack", "cause", "toString", "toJSON"])
      Object.defineProperty(error, key, { get() { throw new RangeError("must not be read"); } });
    return error;
  })()`,
};

const template = (value: string) => `export default () => { throw ${value}; };`;
const schema = (value: string) => `
  export const schema = { "~standard": { version: 1, vendor: "tests", validate: () => { throw ${value}; } } };
  export default () => ({ content: "a" });`;

const shared = shareEmulator({
  "fine.json": '{"content":"fine"}',
  ...Object.fromEntries(
    Object.entries(thrown).flatMap(([uid, value]) => [
      [`${uid}.mjs`, template(value)],
      [`${uid}-schema.mjs`, schema(value)],
    ]),
  ),
});

describe("a template or a schema that throws a hostile error", () => {
  it.each(Object.keys(thrown).flatMap((uid) => [uid, `${uid}-schema`]))(
    "causes a 500 response and an error that names its file: %s",
    async (uid) => {
      expect((await generate(shared, uid)).status).toBe(500);
      expect(shared.errors.at(-1)).toMatchObject({
        name: "TemplateError",
        message: expect.stringMatching(new RegExp(`/${uid}\\.mjs(?::\\d+)*: `)),
      });
      expect(await textOf(shared, "fine")).toContain("fine");
    },
  );
});
