import { join } from "node:path";
import { expect, it } from "vitest";
import { startEmulator } from "../../src/emulator/index.ts";
import { templateFolder } from "./template-folder.ts";

const known =
  "templates, port, host, allowedHosts, apiKeys, images, fonts, ui, limits, faults, latency, onCall, onError";
const hosts =
  'Expected `allowedHosts` to contain host names such as "pdf.test", without a scheme, a port or a path';

it.each<[string, unknown, string]>([
  ["no options", undefined, "Expected an object of options"],
  ["an unknown option", { prot: 1 }, `Unknown option \`prot\`. Known options: ${known}.`],
  ["an empty path", { templates: "" }, "Expected `templates` to be a folder"],
  [
    "a web URL as `templates`",
    { templates: new URL("https://x.test/") },
    "Expected `templates` to be a folder",
  ],
  ["a port out of range", { port: 65_536 }, "0 to 65535, got 65536"],
  ["a port that is a string", { port: "80" }, "0 to 65535"],
  ["an empty host", { host: "" }, "Expected `host`"],
  ["one host name outside an array", { allowedHosts: "a.test" }, "an array of host names"],
  ["a host name with a port", { allowedHosts: ["b.test", "a.test:80"] }, `${hosts}, got "a.test:80".`],
  ["a host name with a wildcard", { allowedHosts: ["*.test"] }, `${hosts}, got "*.test".`],
  ["a host name that is a number", { allowedHosts: [7] }, `${hosts}, got 7.`],
  ["an empty array of keys", { apiKeys: [] }, "at least one key. Omit it"],
  ["one key outside an array", { apiKeys: "key" }, "an array of strings"],
  ["a key that is not valid in a header", { apiKeys: ["a b"] }, "visible ASCII"],
  ["an onError that is not a function", { onError: true }, "Expected `onError`"],
  ["an onCall that is not a function", { onCall: true }, "Expected `onCall`"],
  ["a number as `images`", { images: 1 }, "Expected `images` to be a folder"],
  ["a web URL as `fonts`", { fonts: new URL("https://x.test/") }, "Expected `fonts`"],
  ["limits that are not an object", { limits: 5 }, "Expected `limits`"],
  ["an unknown limit", { limits: { pages: 1 } }, "`limits` knows: maxBodyBytes, requestMs, renderMs"],
  ["a time limit that timers do not support", { limits: { renderMs: 2 ** 31 } }, "limits.renderMs"],
  ["a time limit of 0 ms", { limits: { requestMs: 0 } }, "limits.requestMs"],
  ["a limit of 0 threads", { limits: { threads: 0 } }, "limits.threads"],
  ["a body limit of 0 bytes", { limits: { maxBodyBytes: 0 } }, "limits.maxBodyBytes"],
  ["an unknown fault", { faults: "never" }, "never"],
  ["an unknown latency", { latency: "soon" }, "soon"],
])("startEmulator() rejects %s", async (_, options, message) => {
  const allOptions = options === undefined ? options : { templates: "x", ...(options as object) };
  await expect(startEmulator(allOptions as never)).rejects.toThrow(message);
});

const schemaOf = (schema: string) => `export const schema = ${schema}; export default () => ({});`;
const sampleOf = (sample: string) => `export const sample = ${sample}; export default () => ({});`;

it.each<[string, Record<string, string>, RegExp]>([
  [
    "no template file",
    { "package.json": "{}", "a.d.ts": "" },
    /contains no template\. Add a file <uid>\.json/,
  ],
  ["a template without a default export", { "a.mjs": "" }, /not a function but undefined/],
  [
    "a template that is an object",
    { "a.mjs": "export default {};" },
    /not a function but object.*export default \(/,
  ],
  ["a template that throws", { "a.mjs": '\nthrow new Error("no logo");' }, /a\.mjs:2:7: no logo/],
  ["a module that does not parse", { "a.mjs": "export default (\n  ;" }, /a\.mjs:2:3: Unexpected token ';'/],
  ["JSON that does not parse", { "a.json": '{\n "content": }' }, /a\.json:2:13: expected a value/],
  ["an unclosed placeholder", { "a.json": '{"content":["{{a"]}' }, /a\.json, content\[0\]: /],
  ["an invalid JSON Schema", { "a.json": '{"content":"a","schema":5}' }, /a\.json, schema: /],
  ["an invalid schema in a module", { "a.mjs": schemaOf("{}") }, /not a Standard Schema/],
  ["an invalid sample", { "a.mjs": sampleOf("[]") }, /not an object that JSON can represent/],
  ["a template that ends its process", { "a.mjs": "process.exit(0);" }, /a\.mjs: it ended the rendering/],
  ["two files for one uid", { "a.json": "{}", "a.mjs": "" }, /uid a: a\.json and a\.mjs\. Rename/],
  ["several broken templates", { "a.mjs": "", "b.json": "{" }, /a\.mjs: .*not a function.*\n.*b\.json:1:2: /],
])("startEmulator() rejects a folder with %s", async (_, files, message) => {
  await expect(startEmulator({ templates: await templateFolder(files) })).rejects.toThrow(message);
});

it("startEmulator() rejects folders that do not exist, are files or contain no fonts", async () => {
  const templates = await templateFolder({ "a.json": '{"content":"a"}' });
  const none = join(templates, "none");
  const start = (options: object) => startEmulator({ templates, ...options });
  await expect(start({ templates: none })).rejects.toThrow(/none does not exist\. Pass the folder/);
  await expect(start({ templates: join(templates, "a.json") })).rejects.toThrow(/is not a folder\. Pass the/);
  await expect(start({ fonts: templates })).rejects.toThrow(/contains no \.ttf/);
  for (const kind of ["fonts", "images"]) {
    const problem = `The ${kind.slice(0, -1)} folder ${none} does not exist. Use another folder.`;
    await expect(start({ [kind]: none })).rejects.toThrow(problem);
  }
});
