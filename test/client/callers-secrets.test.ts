import { inspect } from "node:util";
import { type ClientOptions, type DispatcherLike, TemplatePdf, template } from "template-pdf";
import { expect, it } from "vitest";
import { rejectionOf } from "../support/service.ts";
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
  ["contains the request", (init) => failed({ config: init })],
  ["quotes the request", (init) => new Error(JSON.stringify(init), { cause: new TypeError(init.body) })],
  ["has secrets in stack lines", (init) => new Error(`failed\n    at ${init.headers}\n    at ${init.body}`)],
  ["has a circular cause", (init) => inCircle(init.body)],
  ["has values as property names", () => failed({ problems: { [values.customer]: {} } })],
  ["has the key as its class name", () => new (named(trickyKey))("failed")],
  ["has the key as its name", () => failed({ name: "KCANARYKey" }), { apiKey: "KCANARYKey" }],
  ["is an unreadable proxy", () => new Proxy(new Error("failed"), unreadable)],
  ["controls its own output", (init) => failed({ toJSON: () => init, [inspect.custom]: () => init })],
  ["is not an error", (init) => init],
];

const withOptions = (options: ClientOptions) => (client: (options: ClientOptions) => TemplatePdf) =>
  client(options).generate("inv", values);
const fetching = (fetch: (init: Init) => Promise<Response>, more?: ClientOptions) =>
  withOptions({ fetch: (_, init) => fetch(init), ...more });
const dispatching = (dispatch: DispatcherLike["dispatch"]) => withOptions({ dispatcher: { dispatch } });

const validate = (given: unknown) => {
  throw inCircle(JSON.stringify(given));
};
const throwing = { "~standard": { version: 1, vendor: "test", validate } } as const;

it.each<[string, ReturnType<typeof withOptions>]>([
  ...thrown.map(([what, error, options]): [string, ReturnType<typeof withOptions>] => [
    `fetch rejects with a reason that ${what}`,
    fetching((init) => Promise.reject(error(init)), options),
  ]),
  [
    "the response body from fetch fails with an error that contains the request",
    fetching(async (init) => {
      const error = Object.assign(new Error(init.body), { init });
      return new Response(new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(error) }));
    }),
  ],
  [
    "a dispatcher throws an error that contains the request",
    dispatching((options) => {
      throw Object.assign(new Error(JSON.stringify(options)), { options });
    }),
  ],
  [
    "a dispatcher reports an error that contains the request",
    dispatching((options, handler) => {
      handler.onResponseError(undefined, new Error("failed", { cause: { options } }));
      return true;
    }),
  ],
  ["an API key function throws an error that contains the key", withOptions({ apiKey: refuse })],
  ["a schema's error quotes the values", (client) => client({}).generate(template("inv", throwing), values)],
])("an error does not contain the key or the values if %s", async (_, call) => {
  withoutBackOff();
  const options = { baseUrl: "https://pdf.example.com", apiKey: trickyKey, retry: { limit: 1 } };
  const { error, places } = await collectOutput(async (hooks) => {
    const pending = call((more) => new TemplatePdf({ ...options, hooks, ...more }));
    return { pending, error: await rejectionOf(pending.bytes()) };
  });
  expect(error).toBeInstanceOf(Error);
  expect(leaksIn(places, trickyKey)).toEqual([]);
});
