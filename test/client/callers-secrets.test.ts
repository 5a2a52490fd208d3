import { inspect } from "node:util";
import {
  type ClientOptions,
  type PendingPdf,
  type StandardSchemaV1,
  type TemplatePdf,
  template,
} from "template-pdf";
import { describe, expect, it, vi } from "vitest";
import { rejectionOf, Service } from "../support/service.ts";
import { expectSafe, trickyKey, values } from "./canaries.ts";
import { leaksIn, whatComesOut } from "./leaks.ts";

/** Ways in which a call fails with something of the caller's own. */
const throwers: readonly (readonly [
  string,
  (client: (options: ClientOptions) => TemplatePdf) => PendingPdf,
])[] = [
  [
    "a fetch whose error carries the request",
    (client) =>
      client({
        fetch: async (url, init) => {
          throw Object.assign(new Error(`failed: ${url}`), {
            config: init,
            request: { headers: init.headers },
          });
        },
      }).generate("inv", values),
  ],
  [
    "a fetch whose error quotes the request",
    (client) =>
      client({
        fetch: async (_, init) => {
          throw new Error(JSON.stringify(init), { cause: new TypeError(`inside: ${init.body}`) });
        },
      }).generate("inv", values),
  ],
  [
    "a fetch whose error gathers others",
    (client) =>
      client({
        fetch: async (_, init) => {
          throw new AggregateError([new Error(init.body), new Error(String(init.headers))], "all failed");
        },
      }).generate("inv", values),
  ],
  [
    "a fetch whose error has lines like those of a stack",
    (client) =>
      client({
        fetch: async (_, init) => {
          throw new Error(
            `failed\n    at ${new Map(init.headers).get("authorization")}\n    at ${init.body}`,
          );
        },
      }).generate("inv", values),
  ],
  [
    "a fetch whose error has a stack of its own",
    (client) =>
      client({
        fetch: async (_, init) => {
          throw Object.assign(new Error("failed"), { stack: `Error: failed\n    at ${init.body}` });
        },
      }).generate("inv", values),
  ],
  [
    "a fetch whose error goes in a circle",
    (client) =>
      client({
        fetch: async (_, init) => {
          const error = new Error("failed", { cause: new TypeError(init.body) });
          (error.cause as Error).cause = error;
          throw error;
        },
      }).generate("inv", values),
  ],
  [
    "a fetch whose error has the values for names",
    (client) =>
      client({
        fetch: async () => {
          throw Object.assign(new Error("failed"), {
            problems: { [values.customer]: { [trickyKey]: true } },
          });
        },
      }).generate("inv", values),
  ],
  [
    "a fetch whose error has the key for the name of a property",
    (client) =>
      client({
        fetch: async () => {
          throw Object.assign(new Error("failed"), { [trickyKey]: true });
        },
      }).generate("inv", values),
  ],
  [
    "a fetch whose error has a symbol that holds the key",
    (client) =>
      client({
        fetch: async () => {
          throw Object.assign(new Error("failed"), { [Symbol(trickyKey)]: true });
        },
      }).generate("inv", values),
  ],
  [
    "a fetch whose error is of a class that has the key for a name",
    (client) =>
      client({
        fetch: async () => {
          const Named = Object.defineProperty(class extends Error {}, "name", { value: trickyKey });
          throw new Named("failed");
        },
      }).generate("inv", values),
  ],
  [
    "a fetch whose error is named like the key",
    (client) =>
      client({
        apiKey: "KCANARYKey",
        fetch: async () => {
          throw Object.assign(new Error("failed"), { name: "KCANARYKey" });
        },
      }).generate("inv", values),
  ],
  [
    "a fetch whose error has a digest that cannot be read",
    (client) =>
      client({
        fetch: async () => {
          throw Object.defineProperty(new Error("failed"), "digest", {
            get: () => {
              throw new Error(trickyKey);
            },
          });
        },
      }).generate("inv", values),
  ],
  [
    "a fetch whose error refuses to be read at all",
    (client) =>
      client({
        fetch: () => {
          const refuse = () => {
            throw new Error(trickyKey);
          };
          return Promise.reject(
            new Proxy(new Error("failed"), { get: refuse, getPrototypeOf: refuse, ownKeys: refuse }),
          );
        },
      }).generate("inv", values),
  ],
  [
    "a fetch whose error shows itself in its own way",
    (client) =>
      client({
        fetch: async (_, init) => {
          throw Object.assign(new Error("failed"), { toJSON: () => init, [inspect.custom]: () => init });
        },
      }).generate("inv", values),
  ],
  [
    "a dispatcher that throws the request",
    (client) =>
      client({
        dispatcher: {
          dispatch: (options) => {
            throw Object.assign(new Error(JSON.stringify(options)), { options });
          },
        },
      }).generate("inv", values),
  ],
  [
    "a dispatcher that tells of the request",
    (client) =>
      client({
        dispatcher: {
          dispatch: (options, handler) => {
            handler.onResponseError(undefined, new Error("failed", { cause: { options } }));
            return true;
          },
        },
      }).generate("inv", values),
  ],
  [
    "a fetch that throws no error",
    (client) =>
      client({
        fetch: (_, init) => {
          throw init;
        },
      }).generate("inv", values),
  ],
  [
    "a fetch whose body breaks",
    (client) =>
      client({
        fetch: async (_, init) => {
          const body = new ReadableStream<Uint8Array>({
            pull: (controller) => controller.error(Object.assign(new Error(init.body), { init })),
          });
          return new Response(body);
        },
      }).generate("inv", values),
  ],
  [
    "a key source that throws the key",
    (client) => client({ apiKey: () => Promise.reject(new Error(trickyKey)) }).generate("inv", values),
  ],
  [
    "a key source that gives a bad key",
    (client) => client({ apiKey: () => `${trickyKey}\n` }).generate("inv", values),
  ],
  [
    "a key source that gives an object",
    (client) => client({ apiKey: () => ({ key: trickyKey }) as never }).generate("inv", values),
  ],
  ["values that cannot be sent", (client) => client({}).generate("inv", { ...values, bad: Number.NaN })],
  [
    "a getter that throws a value",
    (client) =>
      client({}).generate("inv", {
        get bad() {
          throw new Error(values.customer);
        },
      }),
  ],
  ["a schema that quotes the values", (client) => client({}).generate(template("inv", quoting), values)],
  ["a schema that throws the values", (client) => client({}).generate(template("inv", throwing), values)],
];

/** As valibot and arktype do: "Expected number but received "…"". */
const quoting: StandardSchemaV1<object, object> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: () => ({
      issues: [
        {
          message: `Invalid type: Expected number but received ${JSON.stringify(values.customer)}`,
          path: ["customer"],
        },
        { message: `must be a number (was ${values.nested.list[1]})`, path: ["nested", { key: "list" }, 1] },
      ],
    }),
  },
};

const throwing: StandardSchemaV1<object, object> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (given) => {
      throw new Error(JSON.stringify(given));
    },
  },
};

describe("an error shows neither key nor values after", () => {
  it.each(throwers)("%s", async (_, call) => {
    vi.spyOn(Math, "random").mockReturnValue(0.01);
    const service = await Service.start(() => {});
    const { error, places } = await whatComesOut(async (hooks) => {
      const pending = call((options) =>
        service.client({ apiKey: trickyKey, retry: { limit: 1 }, hooks, ...options }),
      );
      return { pending, error: await rejectionOf(pending.bytes()) };
    });
    expectSafe(error, trickyKey);
    expect(leaksIn(places, trickyKey)).toEqual([]);
    expect(service.requests).toHaveLength(0);
  });
});
