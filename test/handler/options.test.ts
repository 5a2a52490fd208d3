import { ConfigurationError, TemplatePdf, template } from "template-pdf";
import { createHandler, type HandlerOptions } from "template-pdf/handler";
import { describe, expect, it } from "vitest";

const good: HandlerOptions = {
  client: new TemplatePdf({ baseUrl: "https://pdf.test", apiKey: "key-k3yk3y" }),
  templates: { invoice: template("inv_2024") },
  authorize: () => true,
};

const bad: [what: string, options: unknown, message: RegExp][] = [
  ["nothing", undefined, /^Expected the handler options to be an object, got undefined\.$/],
  ["no client", { ...good, client: undefined }, /`client` of the handler is missing: give the TemplatePdf/],
  ["another client", { ...good, client: { fetch } }, /`client` to be a TemplatePdf/],
  ["null for a client", { ...good, client: null }, /`client` to be a TemplatePdf, got null/],
  ["no template under a name", { ...good, templates: { bill: undefined } }, /"bill" of `templates`/],
  ["no templates", { ...good, templates: undefined }, /`templates` of the handler is missing/],
  [
    "a list of templates",
    { ...good, templates: [template("inv")] },
    /`templates` to be an object, got an array/,
  ],
  [
    "a Map of templates",
    { ...good, templates: new Map([["inv", template("inv")]]) },
    /hold none\. Name each in a plain object/,
  ],
  ["none at all", { ...good, templates: {} }, /hold none/],
  [
    "a uid for a template",
    { ...good, templates: { invoice: "inv" } },
    /"invoice" of `templates` must be a template\(\)/,
  ],
  ["an empty name", { ...good, templates: { "": template("inv") } }, /"" of `templates`/],
  ["a name of dots", { ...good, templates: { "..": template("inv") } }, /"\.\." of `templates`/],
  [
    "no authorize",
    { ...good, authorize: undefined },
    /`authorize` of the handler is missing: without it, everybody/,
  ],
  ["authorize: true", { ...good, authorize: true }, /`authorize` to be a function/],
  ["values that are no function", { ...good, values: {} }, /`values` to be a function/],
  [
    "a misspelt option",
    { ...good, authorise: () => true },
    /Unknown handler option `authorise`\. Known options: client, /,
  ],
  [
    "another disposition",
    { ...good, disposition: "inlined" },
    /`disposition` to be "attachment" or "inline"/,
  ],
  ["a name in place of a function", { ...good, filename: "invoice" }, /`filename` to be a function/],
  ["one origin", { ...good, origins: "https://app.test" }, /`origins` to be a list of origins/],
  ["every origin", { ...good, origins: ["*"] }, /"\*" would let any page call/],
  ["every origin of a domain", { ...good, origins: ["https://*.app.test"] }, /Name every one by itself/],
  ["the origin null", { ...good, origins: ["null"] }, /got "null"/],
  ["an origin with a path", { ...good, origins: ["https://app.test/"] }, /without a path/],
  ["one of plain http with a path", { ...good, origins: ["http://app.test/"] }, /without a path/],
  [
    "one with its default port",
    { ...good, origins: ["https://app.test:443"] },
    /got "https:\/\/app.test:443"/,
  ],
  ["one of an app with a path", { ...good, origins: ["capacitor://localhost/x"] }, /without a path/],
  ["one behind a space", { ...good, origins: [" capacitor://localhost"] }, /got " capacitor/],
  ["an origin without a scheme", { ...good, origins: ["app.test"] }, /got "app.test"/],
  ["an origin in capitals", { ...good, origins: ["https://App.test"] }, /got "https:\/\/App.test"/],
  ["an origin that is none", { ...good, origins: [7] }, /got a number/],
  ["half a byte", { ...good, maxBodyBytes: 0.5 }, /`maxBodyBytes` to be a whole number of bytes/],
  ["retry: true", { ...good, retry: true }, /`retry` to be an object, or false/],
  ["a log that is none", { ...good, onError: console }, /`onError` to be a function/],
];

describe("createHandler", () => {
  it.each(bad)("refuses %s", (_, options, message) => {
    const create = () => createHandler(options as HandlerOptions);
    expect(create).toThrow(message);
    expect(create).toThrow(ConfigurationError);
  });

  it("takes all of its options", () => {
    expect(() =>
      createHandler({
        ...good,
        values: (_, values) => values,
        disposition: "inline",
        filename: () => undefined,
        origins: ["https://app.test", "http://localhost:5173", "chrome-extension://abc", "ms-appx-2://app"],
        maxBodyBytes: 1,
        retry: false,
        onError: () => {},
      }),
    ).not.toThrow();
  });
});
