import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { run } from "../../src/cli/run.ts";
import { eventually, eventuallyEquals } from "../support/eventually.ts";
import { pdfOf, Service, withLength } from "../support/service.ts";
import { FakeTerminal } from "./fake-terminal.ts";
import { runInProcess } from "./run-in-process.ts";
import { folderOf } from "./types-command.ts";

const samples = { "invoice.json": '{"number":"1","total":5}', "letter.schema.json": '{"required":["name"]}' };

/** Starts the command in this process, and returns how to call it. */
async function start(
  args: readonly string[],
  env: Record<string, string> = {},
  files: Record<string, string> = samples,
) {
  const folder = folderOf(files);
  const terminal = new FakeTerminal();
  const stdin = new PassThrough();
  Object.assign(terminal, { stdin, env, platform: process.platform });
  const before = process.cwd();
  process.chdir(folder);
  const ended = run(["mcp", ...args], terminal);
  const messages = () =>
    terminal.printed
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  let last = 0;
  const send = async (method: string, params: object) => {
    const id = ++last;
    stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return eventually(() => messages().find((message) => message.id === id));
  };
  const end = async () => {
    stdin.end();
    const code = await ended;
    process.chdir(before);
    return code;
  };
  onTestFinished(async () => void (await end()));
  await send("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  const toolNames = async () => {
    const { result } = await send("tools/list", {});
    return result.tools.map(({ name }: { readonly name: string }) => name);
  };
  return { folder, terminal, send, messages, toolNames, end };
}

const misuse = async (...args: string[]) => {
  const { code, stdout, stderr } = await runInProcess(["mcp", ...args], { cwd: folderOf(samples) });
  expect([code, stdout.toString()]).toEqual([2, ""]);
  return stderr;
};

describe("the `mcp` command", () => {
  it("offers a tool for each template that samples and schemas describe", async () => {
    const { send, end } = await start(["--templates", "."]);
    const { result } = await send("tools/list", {});
    expect(result.tools).toMatchObject([
      {
        name: "generate_invoice",
        inputSchema: {
          type: "object",
          properties: { number: { type: "string" }, total: { type: "number" } },
          required: ["number", "total"],
          additionalProperties: false,
        },
      },
      { name: "generate_letter", inputSchema: { type: "object", required: ["name"] } },
    ]);
    expect(await end()).toBe(0);
  });

  it("generates documents with the key from the environment, which no message contains", async () => {
    const service = await Service.start(withLength(pdfOf(2_000)));
    const env = { TEMPLATE_PDF_API_KEY: "secret-key", TEMPLATE_PDF_BASE_URL: service.baseUrl };
    const { folder, terminal, send } = await start(
      ["--templates", "invoice.json", "--out", "documents"],
      env,
    );
    const { result } = await send("tools/call", {
      name: "generate_invoice",
      arguments: { number: "2", total: 1 },
    });
    expect(result.structuredContent.path).toBe(join(folder, "documents", "invoice.pdf"));
    expect(service.keys).toEqual(["API-Key secret-key"]);
    expect(terminal.printed + terminal.stderr.text).not.toContain("secret-key");
  });

  it("starts without a key, and says in the result of a call that it is missing", async () => {
    const { send } = await start(["--any-template"]);
    const call = { name: "generate", arguments: { uid: "a", values: {} } };
    const { result } = await send("tools/call", call);
    expect(result).toEqual({
      isError: true,
      content: [
        { type: "text", text: expect.stringMatching(/^The API key is missing\. Set TEMPLATE_PDF_API_KEY=/) },
      ],
    });
  });

  it("changes its tools with the files, and keeps the last valid ones", async () => {
    const { folder, terminal, messages, toolNames } = await start(["--templates", "."]);
    expect(await toolNames()).toEqual(["generate_invoice", "generate_letter"]);
    renameSync(join(folder, "letter.schema.json"), join(folder, "offer.schema.json"));
    await eventuallyEquals(
      () => messages().filter(({ method }) => method === "notifications/tools/list_changed").length,
      1,
    );
    expect(await toolNames()).toEqual(["generate_invoice", "generate_offer"]);
    writeFileSync(join(folder, "offer.schema.json"), "{");
    await terminal.stderr.shows("offer.schema.json:1:2");
    expect(await toolNames()).toEqual(["generate_invoice", "generate_offer"]);
  });

  it.each([
    [[], "The server would have no tools"],
    [["--emulate", ".", "--templates", "."], "Leave out --templates"],
    [["--emulate", ".", "--base-url", "http://localhost"], "Leave out one of them"],
    [["--any-template", "--fonts", "."], "Add --emulate <folder>"],
    [["--any-template", "--port", "65536"], "--port must be a number"],
    [["--any-template", "--limit", "0"], "--limit must be"],
    [["--any-template", "--timeout", "never"], "--timeout must be a duration"],
    [["--templates", "missing.json"], "missing.json"],
    [
      ["--templates", "a=letter.schema.json", "--templates", "a=letter.schema.json", "--key", "secret"],
      "cannot be passed",
    ],
    [["--any-template", "--out", "a", "--out", "b"], "--out may be given only once"],
  ])("rejects %j", async (args, reason) => {
    const stderr = await misuse(...args);
    expect(stderr).toContain(reason);
    expect(stderr).not.toContain("secret");
  });

  it("rejects a schema that is invalid, with its location", async () => {
    const cwd = folderOf({ "a.schema.json": '{"properties":{"b":{"minLength":"1"}}}' });
    const { code, stderr } = await runInProcess(["mcp", "--templates", "a.schema.json"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/a\.schema\.json.*minLength/);
  });

  it("rejects a port that is in use", async () => {
    const service = await Service.start(() => {});
    const args = ["mcp", "--any-template", "--port", String(service.port)];
    const { code, stderr } = await runInProcess(args, { cwd: folderOf({}) });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^template-pdf: Port \d+ on 127\.0\.0\.1 is in use\./);
  });

  it("prints its URL and a random token to standard error, but not a token from the environment", async () => {
    const serve = async (env: Record<string, string>) => {
      const terminal = new FakeTerminal();
      Object.assign(terminal, { env });
      const ended = run(["mcp", "--any-template", "--port", "0"], terminal);
      await terminal.stderr.shows("URL");
      const [, url = ""] = /URL +(\S+)/.exec(terminal.stderr.text) ?? [];
      const [, token = ""] = /Token +(\S+)/.exec(terminal.stderr.text) ?? [];
      const headers = { authorization: `Bearer ${token || "from-the-environment"}` };
      const { status } = await fetch(url, { headers });
      terminal.emit("SIGINT");
      expect([await ended, terminal.printed]).toEqual([0, ""]);
      return { status, token };
    };
    // The request has the token, but not the headers of the protocol.
    expect(await serve({})).toEqual({ status: 406, token: expect.stringMatching(/^[\w-]{32}$/) });
    expect(await serve({ TEMPLATE_PDF_MCP_TOKEN: "from-the-environment" })).toEqual({
      status: 406,
      token: "",
    });
  });
});
