import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { nodeOf } from "../../scripts/runtimes.mjs";
import { assertWholePdf } from "../../src/testing/assert-whole-pdf.ts";
import { consumer } from "../package/consumer.ts";
import { blocksOf } from "../support/blocks-of.ts";
import { environmentOfUsers } from "../support/environment-of-users.ts";
import { eventuallyEquals } from "../support/eventually.ts";
import { outputOf, runToEnd, startProgram } from "../support/programs.ts";
import { pdfOf, Service, saying, withLength } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { useWorkspace } from "./mocks/workspace.ts";

/** Runs the packed `template-pdf mcp` with real clients. */

const { folder: workspace } = useWorkspace(
  ...["@modelcontextprotocol/sdk@1.32.2", "pdfmake@0.3.11", "pdfjs-dist@5.5.207"],
  ...["@modelcontextprotocol/conformance@0.1.16", "@modelcontextprotocol/inspector@2.12.0"],
);
const command = join("node_modules", "template-pdf", "dist", "cli", "main.js");
const inWorkspace = (path: string) => join(workspace, "node_modules", "@modelcontextprotocol", path);
const token = "CANARY-token";
const key = "CANARY-key";

const template = JSON.stringify({
  schema: {
    type: "object",
    title: "Invoice",
    required: ["number"],
    properties: { number: { type: "string" }, lines: { type: "array", items: { type: "string" } } },
    additionalProperties: false,
  },
  sample: { number: "2026-0117", lines: ["Café menu"] },
  content: ["Invoice {{number}}", { $if: "lines", $show: { ul: [{ $each: "lines", $show: "{{this}}" }] } }],
});
// Standard output is for the protocol.
const noisy = `console.log("loaded");
export const sample = { name: "Ada" };
export default ({ name }) => {
  console.log("rendering");
  process.stdout.write("more\\n");
  return { content: [name] };
};`;

/** Creates the folder of a user, with templates and samples. */
function makeFolder(): string {
  const cwd = temporaryFolder();
  for (const [name, files] of Object.entries({
    templates: { "invoice.json": template, "noisy.mjs": noisy },
    samples: {
      "invoice.json": '{"number":"1"}',
      "inv.schema.json": '{"type":"object","required":["a"]}',
    },
  })) {
    mkdirSync(join(cwd, name));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(cwd, name, file), text);
  }
  return cwd;
}

type Env = Readonly<Record<string, string>>;

/** Starts the server over each transport, and connects the client of the SDK. */
const connections = {
  async stdio(args: readonly string[], cwd: string, env: Env = {}): Promise<Client> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [join(workspace, command), "mcp", ...args],
      cwd,
      env: { ...(environmentOfUsers() as Record<string, string>), ...env },
      stderr: "ignore",
    });
    return connectOver(transport);
  },
  async http(args: readonly string[], cwd: string, env: Env = {}): Promise<Client> {
    const { url } = await serve(args, cwd, env);
    const headers = { authorization: `Bearer ${token}` };
    return connectOver(
      new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as Transport,
    );
  },
};

async function connectOver(transport: Transport): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const errors: Error[] = [];
  // A line on standard output that is not a message.
  client.onerror = (error) => void (error instanceof SyntaxError && errors.push(error));
  await client.connect(transport);
  onTestFinished(async () => {
    expect(errors).toEqual([]);
    await client.close();
  });
  return client;
}

async function serve(args: readonly string[], cwd: string, env: Env = {}) {
  const program = await startProgram(
    process.execPath,
    [join(workspace, command), "mcp", "--port", "0", ...args],
    {
      cwd,
      env: { TEMPLATE_PDF_MCP_TOKEN: token, ...env },
      ready: /http:\/\/127\.0\.0\.1:(\d+)\/mcp/,
    },
  );
  onTestFinished(() => program.stop());
  return { program, url: `${program.origin}/mcp` };
}

describe.each(Object.entries(connections))("the packed server over %s", (_, open) => {
  it("checks, shows and renders the templates of its emulator", async () => {
    const cwd = makeFolder();
    const client = await open(["--emulate", "templates", "--preview", "--out", "pdfs"], cwd);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["generate_invoice", "generate_noisy", "check_templates"]);
    const { structuredContent: checked } = await client.callTool({ name: "check_templates", arguments: {} });
    expect(checked).toMatchObject({
      templates: [
        { uid: "invoice", pages: 1 },
        { uid: "noisy", pages: 1 },
      ],
    });
    const call = { name: "generate_invoice", arguments: { number: "7", lines: ["a", "b"] } };
    const { content, structuredContent } = await client.callTool(call);
    const path = join(cwd, "pdfs", "invoice.pdf");
    expect(structuredContent).toEqual({ uid: "invoice", path, bytes: expect.any(Number), pages: 1 });
    const [, resource, image] = content as [unknown, { resource: { blob: string } }, { data: string }];
    expect(Buffer.from(resource.resource.blob, "base64")).toEqual(readFileSync(path));
    assertWholePdf(readFileSync(path));
    expect(Buffer.from(image.data, "base64").subarray(1, 4).toString()).toBe("PNG");
    await client.callTool({ name: "generate_noisy", arguments: { name: "Ada" } });
    expect(readdirSync(join(cwd, "pdfs")).sort()).toEqual(["invoice.pdf", "noisy.pdf"]);
    const { contents } = await client.readResource({ uri: "template://invoice" });
    expect(contents).toEqual([{ uri: "template://invoice", mimeType: "application/json", text: template }]);
    const { messages } = await client.getPrompt({ name: "new-template", arguments: {} });
    expect(JSON.stringify(messages)).toContain("$each");
  });

  it("uses the service, and reports bad input without its key and its values", async () => {
    const cwd = makeFolder();
    const service = await Service.start((received) =>
      received.path.includes("/inv/")
        ? saying(422, JSON.stringify({ detail: `a is not a date: CANARY-value. Key ${key}` }))(received)
        : withLength(pdfOf(2_000))(received),
    );
    const env = { TEMPLATE_PDF_API_KEY: key, TEMPLATE_PDF_BASE_URL: service.baseUrl };
    const client = await open(["--templates", "samples", "--any-template"], cwd, env);
    const generate = (name: string, given: Record<string, unknown>) =>
      client.callTool({ name, arguments: given });
    const results = [
      await generate("generate_invoice", { number: "CANARY-value", note: "CANARY-value" }),
      await generate("generate_invoice", { number: 7 }),
      await generate("generate_inv", { a: "CANARY-value" }),
      await generate("generate", { uid: "..", values: {} }),
      await generate("generate", { uid: "a", values: {}, path: "/etc/passwd" }),
      await generate("generate", { uid: "../../CANARY", values: {} }),
    ];
    expect(results.map(({ isError = false }) => isError)).toEqual([true, true, true, true, true, false]);
    expect(JSON.stringify(results)).not.toMatch(/CANARY-(?:value|key)/);
    expect(JSON.stringify(results[2])).toContain("a is not a date");
    expect(readdirSync(join(cwd, "pdfs"))).toEqual(["_._CANARY.pdf"]);
    await expect(generate("unknown", {})).rejects.toMatchObject({ code: -32602 });
  });

  it("says that the key is missing, and that a template is broken", async () => {
    const cwd = makeFolder();
    const withoutKey = await open(["--templates", "samples"], cwd);
    const call = { name: "generate_invoice", arguments: { number: "7" } };
    expect(await withoutKey.callTool(call)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("The API key is missing.") }],
    });
    const emulated = await open(["--emulate", "templates"], cwd);
    writeFileSync(join(cwd, "templates", "invoice.json"), "{");
    expect(await emulated.callTool(call)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("invoice.json:1:") }],
    });
    expect(existsSync(join(cwd, "pdfs", "invoice.pdf"))).toBe(false);
  });

  it("cancels the document of a client that vanishes, and leaves no file", async () => {
    const cwd = makeFolder();
    const service = await Service.start(({ response }) => {
      response.writeHead(200, { "content-length": "2000" });
      response.write("%PDF-1.7\n");
    });
    const env = { TEMPLATE_PDF_API_KEY: key, TEMPLATE_PDF_BASE_URL: service.baseUrl };
    const client = await open(["--templates", "samples"], cwd, env);
    const call = client.callTool({ name: "generate_invoice", arguments: { number: "7" } });
    const { closed } = await service.request();
    await client.close();
    await expect(call).rejects.toThrow();
    await closed;
    await eventuallyEquals(() => readdirSync(join(cwd, "pdfs")), []);
  });
});

it("the first configuration in the guide starts the server", async () => {
  const guide = readFileSync(new URL("../../docs/guides/mcp.md", import.meta.url), "utf8");
  const [block = ""] = blocksOf(guide, "json");
  const { command: program, args } = JSON.parse(block).mcpServers.pdfs;
  const cwd = join(workspace, "project");
  mkdirSync(join(cwd, "templates"), { recursive: true });
  writeFileSync(join(cwd, "templates", "invoice.json"), template);
  const env = environmentOfUsers() as Record<string, string>;
  const client = await connectOver(
    new StdioClientTransport({ command: program, args, cwd, env, stderr: "ignore" }),
  );
  const call = { name: "generate_invoice", arguments: { number: "7" } };
  const { structuredContent } = await client.callTool(call);
  expect(structuredContent).toMatchObject({ path: join(cwd, "pdfs", "invoice.pdf") });
});

it("the packed command without the SDK says what to install", async () => {
  const args = [join(consumer, command), "mcp", "--any-template"];
  const { exitCode, printed } = await runToEnd(process.execPath, args, { cwd: consumer });
  expect([exitCode, printed]).toEqual([
    1,
    "template-pdf: The mcp command needs @modelcontextprotocol/sdk, which is not installed. Run npm install @modelcontextprotocol/sdk.\n",
  ]);
});

/** Starts a proxy that adds the token, because the conformance tests cannot send one. */
async function addToken(url: string): Promise<string> {
  const { host, hostname, port, origin } = new URL(url);
  const proxy = createServer((incoming, outgoing) => {
    const own = String((proxy.address() as AddressInfo).port);
    // Only what names the proxy itself is replaced, because the tests also send other names.
    const { host: given = "", origin: page, ...headers } = incoming.headers;
    const passed = request({ hostname, port, path: incoming.url, method: incoming.method }, (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
    });
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined) passed.setHeader(name, value);
    passed.setHeader("host", given.endsWith(`:${own}`) ? host : given);
    if (page !== undefined) passed.setHeader("origin", page.endsWith(`:${own}`) ? origin : page);
    passed.setHeader("authorization", `Bearer ${token}`);
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://localhost:${(proxy.address() as AddressInfo).port}/mcp`;
}

// The other scenarios need a server with particular tools, resources or prompts.
it.each([
  "server-initialize",
  "ping",
  "tools-list",
  "resources-list",
  "prompts-list",
  "server-sse-multiple-streams",
  "server-sse-polling",
  "dns-rebinding-protection",
])("the packed server passes the scenario %s of the conformance tests", async (scenario) => {
  const cwd = makeFolder();
  const { url } = await serve(["--emulate", "templates"], cwd);
  const program = inWorkspace("conformance/dist/index.js");
  const args = [
    program,
    "server",
    "--url",
    await addToken(url),
    "--scenario",
    scenario,
    "-o",
    join(cwd, "results"),
  ];
  const { exitCode, printed } = await runToEnd(nodeOf(22), args, { cwd });
  expect(exitCode, printed).toBe(0);
});

describe("the Inspector", () => {
  const inspector = () => inWorkspace("inspector/clients/launcher/build/index.js");
  const inspect = (cwd: string, ...args: string[]) =>
    runToEnd(nodeOf(22), [inspector(), "--cli", ...args], { cwd, env: { HOME: cwd } });

  it("finds no portability errors in the schemas of the tools", async () => {
    const cwd = makeFolder();
    const server = [process.execPath, join(workspace, command), "mcp", "--emulate", "templates"];
    const args = [inspector(), "--cli", ...server, "--method", "tools/list", "--strict"];
    const listed = JSON.parse(await outputOf(nodeOf(22), args, { cwd, env: { HOME: cwd } }));
    expect(listed.tools).toHaveLength(3);
  });

  it("calls tools over both transports", async () => {
    const cwd = makeFolder();
    const server = [process.execPath, join(workspace, command), "mcp", "--emulate", "templates"];
    const call = ["--method", "tools/call", "--tool-name", "generate_noisy", "--tool-arg", "name=Ada"];
    const stdio = await inspect(cwd, ...server, ...call);
    expect(JSON.parse(stdio.stdout).structuredContent.path, stdio.printed).toBe(
      join(cwd, "pdfs", "noisy.pdf"),
    );
    const { url } = await serve(["--emulate", "templates"], cwd);
    const http = await inspect(cwd, url, "--header", `Authorization: Bearer ${token}`, ...call);
    expect(JSON.parse(http.stdout).structuredContent.path, http.printed).toBe(
      join(cwd, "pdfs", "noisy-2.pdf"),
    );
  });
});
