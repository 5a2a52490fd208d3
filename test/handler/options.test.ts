import { ConfigurationError, TemplatePdf, template } from "template-pdf";
import { createHandler, type HandlerOptions } from "template-pdf/handler";
import { describe, expect, it } from "vitest";

const good: HandlerOptions = {
  client: new TemplatePdf({ baseUrl: "https://pdf.test", apiKey: "key-k3yk3y" }),
  templates: { invoice: template("inv_2024") },
  authorize: () => true,
};
const withOrigin = (origin: unknown) => ({ ...good, origins: [origin] });
const withTemplates = (templates: unknown) => ({ ...good, templates });

describe("createHandler()", () => {
  it.each<[what: string, options: unknown, message: RegExp]>([
    ["omitted options", undefined, /^Expected the handler options to be an object, got undefined\.$/],
    ["options without a client", { ...good, client: undefined }, /`client` is missing: pass the TemplatePdf/],
    ["a client that is not a TemplatePdf", { ...good, client: { fetch } }, /`client` to be a TemplatePdf/],
    ["an array of templates", withTemplates([template("inv")]), /`templates` to be an object, got an array/],
    ["a Map of templates", withTemplates(new Map([["a", template("a")]])), /are empty\. Pass a plain object/],
    [
      "a uid instead of a template",
      withTemplates({ a: "inv" }),
      /"a" property of `templates` to be a template\(\)/,
    ],
    ["an empty template name", withTemplates({ "": template("inv") }), /"" property of `templates`/],
    ["options without `authorize`", { ...good, authorize: undefined }, /`authorize` is missing: without it/],
    ["a misspelled option name", { ...good, authorise() {} }, /option `authorise`\. Known options: client, /],
    ["the disposition `in`", { ...good, disposition: "in" }, /`disposition` to be "attachment" or "inline"/],
    ["a string as `origins`", { ...good, origins: "https://app.test" }, /`origins` to be a list of origins/],
    ["a wildcard origin", withOrigin("*"), /"\*" would allow all pages/],
    ["every origin of a domain", withOrigin("https://*.app.test"), /List every origin/],
    ["an origin with a path", withOrigin("https://app.test/"), /without a path/],
    ["an origin with its default port", withOrigin("https://app.test:443"), /got "https:\/\/app.test:443"/],
    ["an origin after a space", withOrigin(" capacitor://localhost"), /got " capacitor/],
    ["an app origin with a path", withOrigin("capacitor://localhost/x"), /without a path/],
    ["an origin without a scheme", withOrigin("app.test"), /got "app.test"/],
    ["a number as an origin", withOrigin(7), /got a number/],
    ["`maxBodyBytes: 0.5`", { ...good, maxBodyBytes: 0.5 }, /`maxBodyBytes` to be a whole number of bytes/],
    ["`retry: true`", { ...good, retry: true }, /`retry` to be an object, or false/],
    [
      "`retry.limit: -1`",
      { ...good, retry: { limit: -1 } },
      /`retry\.limit` to be a whole number, 0 or more/,
    ],
  ])("rejects %s", (_, options, message) => {
    const create = () => createHandler(options as HandlerOptions);
    expect(create).toThrow(message);
    expect(create).toThrow(ConfigurationError);
  });

  it("accepts every option", () => {
    createHandler({
      ...good,
      values: (_, values) => values,
      disposition: "inline",
      filename: () => undefined,
      origins: ["https://app.test", "http://localhost:5173", "chrome-extension://abc", "ms-appx-2://app"],
      maxBodyBytes: 1,
      retry: false,
      onError: () => {},
    });
  });
});
