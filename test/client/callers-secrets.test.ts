import { inspect } from "node:util";
import {
  type ClientOptions,
  type DispatcherLike,
  type PendingPdf,
  type StandardSchemaV1,
  type TemplatePdf,
  template,
} from "template-pdf";
import { expect, it } from "vitest";
import { rejectionOf, Service } from "../support/service.ts";
import { trickyKey, values } from "./canaries.ts";
import { collectOutput, leaksIn } from "./leaks.ts";
import { withoutBackOff } from "./timing.ts";

type Init = Parameters<NonNullable<ClientOptions["fetch"]>>[1];

const refuse = () => {
  throw new Error(trickyKey);
};

function inCircle(body: string): Error {
  const error = new Error("failed", { cause: new TypeError(body) });
  (error.cause as Error).cause = error;
  return error;
}

const failed = (properties: object) => Object.assign(new Error("failed"), properties);
const unreadable = { get: refuse, getPrototypeOf: refuse, ownKeys: refuse };
const named = (name: string) => Object.defineProperty(class extends Error {}, "name", { value: name });

/** Errors that the caller's `fetch` throws. */
const thrown: readonly (readonly [string, (init: Init) => unknown, ClientOptions?])[] = [
  ["carries the request", (init) => failed({ config: init })],
  ["quotes the request", (init) => new Error(JSON.stringify(init), { cause: new TypeError(init.body) })],
  [
    "contains other errors",
    (init) => new AggregateError([new Error(init.body), new Error(`${init.headers}`)]),
  ],
  ["has lines of a stack", (init) => new Error(`failed\n    at ${init.headers}\n    at ${init.body}`)],
  ["has its own stack", (init) => failed({ stack: `Error\n    at ${init.body}` })],
  ["has a circular cause", (init) => inCircle(init.body)],
  ["has property names that are values", () => failed({ problems: { [values.customer]: {} } })],
  ["has a property named like the key", () => failed({ [trickyKey]: true })],
  ["has a symbol with the key", () => failed({ [Symbol(trickyKey)]: true })],
  ["has a class named like the key", () => new (named(trickyKey))("failed")],
  ["is named like the key", () => failed({ name: "KCANARYKey" }), { apiKey: "KCANARYKey" }],
  ["has an unreadable digest", () => Object.defineProperty(new Error("failed"), "digest", { get: refuse })],
  ["is an unreadable proxy", () => new Proxy(new Error("failed"), unreadable)],
  ["formats itself", (init) => failed({ toJSON: () => init, [inspect.custom]: () => init })],
  ["is not an error", (init) => init],
];

type ClientOf = (options: ClientOptions) => TemplatePdf;
type Fail = (client: ClientOf) => PendingPdf;

const withOptions =
  (options: ClientOptions): Fail =>
  (client) =>
    client(options).generate("inv", values);
const fetching = (fetch: (init: Init) => Promise<Response>, more?: ClientOptions) =>
  withOptions({ fetch: (_, init) => fetch(init), ...more });
const dispatching = (dispatch: DispatcherLike["dispatch"]) => withOptions({ dispatcher: { dispatch } });

function schemaThat(validate: (given: unknown) => never | object): StandardSchemaV1<object, object> {
  return { "~standard": { version: 1, vendor: "test", validate: validate as never } };
}

/** Quotes the values in its issues, as valibot and arktype do. */
const quoting = schemaThat(() => ({
  issues: [
    { message: `Expected number but received ${JSON.stringify(values.customer)}`, path: ["customer"] },
    { message: `must be a number (was ${values.nested.list[1]})`, path: ["nested", { key: "list" }, 1] },
  ],
}));
const throwingValues = Object.defineProperty({}, "bad", {
  enumerable: true,
  get: () => {
    throw inCircle(values.customer);
  },
});
const throwing = schemaThat((given) => {
  throw new Error(JSON.stringify(given));
});

const failures: readonly (readonly [string, Fail])[] = [
  ...thrown.map(([what, error, options]): [string, Fail] => [
    `a fetch whose error ${what}`,
    fetching((init) => Promise.reject(error(init)), options),
  ]),
  [
    "a fetch whose response body fails",
    fetching(async (init) => {
      const error = Object.assign(new Error(init.body), { init });
      return new Response(new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(error) }));
    }),
  ],
  [
    "a dispatcher that throws the request",
    dispatching((options) => {
      throw Object.assign(new Error(JSON.stringify(options)), { options });
    }),
  ],
  [
    "a dispatcher that reports the request",
    dispatching((options, handler) => {
      handler.onResponseError(undefined, new Error("failed", { cause: { options } }));
      return true;
    }),
  ],
  ["an API key function that throws the key", withOptions({ apiKey: refuse })],
  ["an API key function that returns a bad key", withOptions({ apiKey: () => `${trickyKey}\n` })],
  ["an API key function that returns an object", withOptions({ apiKey: () => ({ trickyKey }) as never })],
  ["values that cannot be sent", (client) => client({}).generate("inv", { ...values, bad: Number.NaN })],
  ["a getter that throws a value", (client) => client({}).generate("inv", throwingValues)],
  ["a schema that quotes the values", (client) => client({}).generate(template("inv", quoting), values)],
  ["a schema that throws the values", (client) => client({}).generate(template("inv", throwing), values)],
];

it.each(failures)("an error does not contain the key or the values after %s", async (_, call) => {
  withoutBackOff();
  const service = await Service.start(() => {});
  const { error, places } = await collectOutput(async (hooks) => {
    const pending = call((options) =>
      service.client({ apiKey: trickyKey, retry: { limit: 1 }, hooks, ...options }),
    );
    return { pending, error: await rejectionOf(pending.bytes()) };
  });
  expect(error).toBeInstanceOf(Error);
  expect(leaksIn(places, trickyKey)).toEqual([]);
  expect(service.requests).toHaveLength(0);
});
