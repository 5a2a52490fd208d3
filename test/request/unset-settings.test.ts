import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { ConfigurationError, TemplatePdf } from "template-pdf";
import { afterEach, describe, expect, it, vi } from "vitest";
import { serverAdvice } from "../../src/request/advice.ts";
import { generateSetting, runInProcess } from "../cli/run-in-process.ts";
import { property } from "../support/fuzz.ts";
import { rejectionOf } from "../support/service.ts";

const baseUrl = "https://pdf.example.com";
const converted = ["undefined", "null", "NaN", "true", "false", "[object Object]", "[object Promise]"];
const placeholders = [
  ...["TEMPLATE_PDF_API_KEY", "apiKey"].map((name) => `$\{${name}}`),
  ..."$TEMPLATE_PDF_API_KEY %TEMPLATE_PDF_API_KEY% <API_KEY>".split(" "),
  "<your key>",
  "{{ api_key }}",
];

const fetch = vi.fn(async () => new Response());
afterEach(() => {
  vi.unstubAllEnvs();
  expect(fetch).not.toHaveBeenCalled();
});

describe.each([...converted, ...placeholders])("The text %s", (text) => {
  const says = converted.includes(text)
    ? `The API key is the text ${JSON.stringify(text)}, which a missing or wrong value becomes`
    : "The API key is a placeholder that was not replaced. Check the code or the variable";

  it("is rejected as an API key when the client is created", () => {
    expect(() => new TemplatePdf({ baseUrl, apiKey: text, fetch })).toThrow(says);
    expect(() => new TemplatePdf({ baseUrl, apiKey: ` ${text}\n`, fetch })).toThrow(says);
    vi.stubEnv("TEMPLATE_PDF_API_KEY", text);
    expect(() => new TemplatePdf({ baseUrl, fetch })).toThrow(ConfigurationError);
    expect(() => new TemplatePdf({ baseUrl, fetch })).toThrow(says);
  });

  it("is rejected as an API key when a function returns it", async () => {
    const client = new TemplatePdf({ baseUrl, apiKey: async () => text, fetch });
    const error = await rejectionOf(client.generate("inv_2024", {}).bytes());
    expect(error).toMatchObject({ code: "invalid_configuration", attempts: 0 });
    expect(String(error)).toContain(says);
  });

  it("is rejected as a base URL", () => {
    for (const given of [text, `${text} `]) {
      const create = () => new TemplatePdf({ baseUrl: given, apiKey: "k3y", fetch });
      expect(create).toThrow(converted.includes(text) ? /is the text "/ : /is a placeholder/);
    }
  });
});

it("The error for a placeholder does not contain the placeholder, which may contain a key", () => {
  const create = () => new TemplatePdf({ baseUrl, apiKey: "<sk-CANARY>", fetch });
  expect(create).toThrow(/^The API key is a placeholder(?!.*CANARY)/s);
});

it("The command rejects such an API key from the .env file", async () => {
  const { cwd, service } = await generateSetting();
  writeFileSync(join(cwd, ".env"), "TEMPLATE_PDF_API_KEY=undefined\n");
  const { code, stderr } = await runInProcess(["generate", "a"], {
    cwd,
    env: { TEMPLATE_PDF_BASE_URL: service.baseUrl },
  });
  expect(code).toBe(2);
  expect(stderr).toContain('The API key is the text "undefined"');
  expect(service.requests).toEqual([]);
});

it.each(["https://undefined", "https://undefined/prefix", "http://null/", "https://null:8443"])(
  "The base URL %s is rejected, because a part of it is missing",
  (url) => {
    const create = () => new TemplatePdf({ baseUrl: url, apiKey: "k3y", fetch });
    expect(create).toThrow(/has the host name (?:undefined|null), so a part of it is missing/);
  },
);

it.each([
  "undefined-1",
  "NULL",
  "truth",
  "$price",
  "$1",
  "a<b>c",
  "100%",
  "{{a}}b",
  "sk-undefined",
  "TRUE",
  "undefined1",
  "nullable",
  "0",
  "1",
  "false-1",
  "a${KEY}",
  "${KEY}a",
  "a$API_KEY",
  "$API_KEY-1",
  "%KEY%a",
  "<a>b",
  "a<b>",
  "b{{a}}",
])("%s is accepted as an API key", (apiKey) => {
  expect(() => new TemplatePdf({ baseUrl, apiKey, fetch })).not.toThrow();
});

it.each(["[object Object]s", "an [object Object]", "<a> b", "0"])(
  "%j is not taken for a base URL that was not set",
  (text) => {
    expect(() => new TemplatePdf({ baseUrl: text, apiKey: "key", fetch })).toThrow(
      "does not begin with https:// (or http:// on this machine)",
    );
  },
);

property("A text of letters, digits, - and _ with a digit in it is never taken for a missing one", () =>
  fc.property(fc.stringMatching(/^[\w-]*\d[\w-]*$/), (text) => serverAdvice().apiKey(text) === undefined),
);
