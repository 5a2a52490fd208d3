import { Agent } from "undici";
import { expect, it, onTestFinished } from "vitest";
import { platform } from "../../src/platform/node.ts";

const current = Symbol.for("undici.globalDispatcher.2");
const legacy = Symbol.for("undici.globalDispatcher.1");
class Dispatcher1Wrapper extends Agent {}
const withoutClass = Object.create(null, { dispatch: { value: () => true } });
const composed = new Agent().compose((dispatch) => dispatch);

it.each<[globals: string, values: object, transport: string]>([
  ["agents of different undici versions", { [legacy]: new Agent(), [current]: new Agent() }, "own"],
  ["undici 8's wrapped agent", { [current]: new Dispatcher1Wrapper() }, "own"],
  ["a composed agent", { [current]: composed }, "undici"],
  ["a dispatcher without a prototype", { [current]: withoutClass }, "undici"],
  ["the same dispatcher for both undici versions", { [legacy]: composed, [current]: composed }, "undici"],
  ["a dispatcher from a different undici version", { [legacy]: withoutClass }, "fetch"],
  ["a global function named fetch", { fetch: async function fetch() {} }, "fetch"],
  ["no global fetch", { fetch: undefined }, "own"],
])("A client without options chooses its transport based on the globals: %s", (_, values, transport) => {
  const globals = globalThis as { [key: PropertyKey]: unknown };
  const before = Object.fromEntries(Reflect.ownKeys(values).map((key) => [key, globals[key]]));
  const pool = platform.openPool();
  pool.current({});
  Object.assign(globals, values);
  onTestFinished(() => void Object.assign(globals, before));
  const { name, sees } = pool.current({});
  // Only its own dispatcher shows when it connects.
  expect(sees.connecting ? "own" : name).toBe(transport);
});
