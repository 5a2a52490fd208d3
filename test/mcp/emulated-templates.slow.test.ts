import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ResourceListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { TemplatePdf } from "template-pdf";
import { expect, it, onTestFinished } from "vitest";
import { Documents } from "../../src/mcp/documents.ts";
import { EmulatedTemplates } from "../../src/mcp/emulated-templates.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { connect, textOf } from "./connect.ts";

const good = JSON.stringify({ content: ["Dear {{name}}", "{{note?}}"] });

/** Starts an emulator with these files, and connects a client to its server. */
async function setUp(files: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const emulated = await EmulatedTemplates.start({ templates: folder });
  onTestFinished(() => emulated.close());
  const { baseUrl, apiKey } = emulated.emulator;
  const pdfs = new TemplatePdf({ baseUrl, apiKey });
  onTestFinished(() => pdfs.close());
  const documents = new Documents({
    openClient: async () => pdfs,
    out: temporaryFolder(),
    isReplacing: false,
    hasPreview: false,
    limit: 100,
    remarkOn: (requestId) => emulated.remarkOn(requestId),
  });
  const client = await connect({
    ...{ version: "1.0.0", documents, source: emulated, emulated, allowsAny: false, isReplacing: false },
    describe: (error) => (error as Error).message,
  });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const check = async () =>
    (await client.callTool({ name: "check_templates", arguments: {} })).structuredContent;
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  return { folder, client, write, check, names };
}

it("an assistant can write a template, see its problem and its position, fix it and render it", async () => {
  const { folder, client, write, check, names } = await setUp({});
  expect(await names()).toEqual(["check_templates"]);
  expect(await check()).toEqual({ folder, templates: [] });
  write("letter.json", '{\n  "content": ["Dear {{name}"\n}');
  expect(await check()).toMatchObject({
    templates: [{ uid: "letter", file: "letter.json", problems: [{ line: 3, column: expect.any(Number) }] }],
  });
  write("letter.json", '{ "content": ["Dear {{name}}"], "sample": { "nobody": "x" } }');
  expect(await check()).toMatchObject({
    templates: [{ problems: [{ message: "letter.json: its sample is refused: name has no value" }] }],
  });
  write("letter.json", good);
  expect(await check()).toEqual({
    folder,
    templates: [{ uid: "letter", file: "letter.json", pages: 1, problems: [] }],
  });
  expect(await names()).toEqual(["generate_letter", "check_templates"]);
  const result = await client.callTool({ name: "generate_letter", arguments: { name: "Ada" } });
  expect(result.structuredContent).toMatchObject({ uid: "letter", pages: 1 });
});

it("values that the template needs or does not know are named", async () => {
  const { client } = await setUp({ "letter.json": good });
  const missing = await client.callTool({ name: "generate_letter", arguments: { note: "x" } });
  expect(textOf(missing)).toMatch(/: name /);
  const unknown = await client.callTool({ name: "generate_letter", arguments: { name: "x", nam: "secret" } });
  expect(textOf(unknown)).toMatch(/nam is not allowed/);
  expect([missing.isError, unknown.isError]).toEqual([true, true]);
});

it("a template that breaks is a tool error with its position, and keeps its tool", async () => {
  const { client, write, check, names } = await setUp({ "letter.json": good });
  write("letter.json", "{");
  await check();
  expect(await names()).toEqual(["generate_letter", "check_templates"]);
  const result = await client.callTool({ name: "generate_letter", arguments: { name: "x" } });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toMatch(/letter\.json:1:\d/);
});

it("characters that the fonts lack are a warning of the result", async () => {
  const { client } = await setUp({ "letter.json": good });
  const { structuredContent } = await client.callTool({ name: "generate_letter", arguments: { name: "字" } });
  expect(structuredContent).toMatchObject({ warning: expect.stringContaining("its fonts lack") });
});

it("the client is notified when a template file is added", async () => {
  const { client, write } = await setUp({ "letter.json": good });
  let count = 0;
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => {
    count += 1;
  });
  write("offer.json", good);
  await eventually(() => count > 0);
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
    "template://letter",
    "template://offer",
  ]);
});

it("the sources of the templates are resources, and nothing outside of the folder is", async () => {
  const { folder, client } = await setUp({ "letter.json": good, "Ärzte.json": good });
  const secret = join(temporaryFolder(), "secret.json");
  writeFileSync(secret, "{}");
  symlinkSync(secret, join(folder, "link.json"));
  const read = async (uri: string) => (await client.readResource({ uri })).contents;
  const contents = (uri: string) => [{ uri, mimeType: "application/json", text: good }];
  const encoded = `template://${encodeURIComponent("Ärzte")}`;
  expect(await read("template://letter")).toEqual(contents("template://letter"));
  expect(await read(encoded)).toEqual(contents(encoded));
  for (const uri of ["template://..%2F", "template://%", "file:///etc/passwd", "template://"]) {
    await expect(read(uri), uri).rejects.toThrow("There is no such template.");
  }
  await expect(read("template://link")).rejects.toThrow("link.json is a link to a file outside");
  rmSync(join(folder, "link.json"));
});

it("the prompt explains the syntax of templates from the guide", async () => {
  const { folder, client } = await setUp({});
  expect((await client.listPrompts()).prompts).toMatchObject([
    { name: "new-template", title: "New template" },
  ]);
  const given = { document: "a delivery note" };
  const { messages } = await client.getPrompt({ name: "new-template", arguments: given });
  const { content } = messages[0] as { readonly content: { readonly text: string } };
  expect(content.text).toMatch(/^Write a template for a delivery note\./);
  expect(content.text).toContain(folder);
  expect(content.text).toContain('{ "$each": "lines", "$show": … }');
  await expect(client.getPrompt({ name: "other" })).rejects.toThrow('There is no prompt "other".');
});
