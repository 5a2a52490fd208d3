import { pathToFileURL } from "node:url";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type ServerNotification,
  type ServerRequest,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import type { Caller, Documents, SavedDocument } from "./documents.ts";
import { type CheckedTemplate, type EmulatedTemplates, mimeTypeOf } from "./emulated-templates.ts";
import { newTemplatePrompt, promptMessages } from "./prompt.ts";
import { generateTools, type TemplateSource } from "./tools.ts";

/** What all sessions share. */
export interface ServerParts {
  readonly version: string;
  readonly documents: Documents;
  readonly source: TemplateSource;
  /** The same source, if it is an emulator. */
  readonly emulated: EmulatedTemplates | undefined;
  /** Whether to offer a tool for templates that the server does not know. */
  readonly allowsAny: boolean;
  /** Whether a document replaces an earlier one. */
  readonly isReplacing: boolean;
  /** Returns the message of an error, without keys and values. */
  readonly describe: (error: unknown) => string;
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** The interval of progress notifications in milliseconds. */
const progressMs = 1_000;

/** The protocol's error codes for an unknown tool or prompt, and for an unknown resource. */
const invalidParams = -32_602;
const resourceNotFound = -32_002;

/** A refusal of a request. The SDK's own class puts the code into the message, and its clients do so again. */
class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const uriStart = "template://";

const checkTool: Tool = {
  name: "check_templates",
  title: "Check the templates",
  description:
    "Renders the sample of every template in the template folder, and returns the problems with their file, line and column. Call it after each change of a template.",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
};

/** Creates the server for one session. */
export function createServer(parts: ServerParts): Server {
  const { source, emulated, version } = parts;
  const capabilities = {
    tools: { listChanged: true },
    ...(emulated && { resources: { listChanged: true }, prompts: {} }),
  };
  const instructions =
    "Each tool generate_… generates a PDF from one template, and saves it in one folder. The arguments are the values of the template.";
  const server = new Server(
    { name: "template-pdf", title: "Template PDF", version },
    { capabilities, instructions },
  );
  const onChange = () => {
    // A client that has left does not receive it.
    server.sendToolListChanged().catch(() => {});
    if (emulated) server.sendResourceListChanged().catch(() => {});
  };
  source.listeners.add(onChange);
  server.onclose = () => source.listeners.delete(onChange);
  addTools(server, parts);
  if (emulated) addTemplates(server, emulated);
  return server;
}

function addTools(
  server: Server,
  { source, emulated, allowsAny, isReplacing, documents, describe }: ServerParts,
) {
  const facts = { isReplacing, isEmulated: emulated !== undefined };
  const tools = () => generateTools(source.templates, allowsAny, facts);
  server.setRequestHandler(ListToolsRequestSchema, () => {
    const all = [...tools().values()].map(({ tool }) => tool);
    return { tools: emulated ? [...all, checkTool] : all };
  });
  server.setRequestHandler(
    CallToolRequestSchema,
    async ({ params: { name, arguments: given = {} } }, extra) => {
      if (emulated && name === checkTool.name)
        return describeTemplates(emulated.folder, await emulated.inspect());
      const tool = tools().get(name);
      if (tool === undefined) {
        throw new Refusal(invalidParams, `There is no tool ${JSON.stringify(name)}. List the tools again.`);
      }
      const caller = callerOf(extra);
      try {
        const { uid, values } = tool.read(given);
        return describeDocument(uid, await documents.generate(uid, values, caller));
      } catch (error) {
        // Nobody receives the result.
        if (caller.signal.aborted) throw error;
        return { isError: true, content: [{ type: "text", text: describe(error) }] };
      } finally {
        caller.end();
      }
    },
  );
}

/** Returns who called a tool. Reports progress if the client wants that. */
function callerOf({ signal, authInfo, _meta, sendNotification }: Extra): Caller & { end(): void } {
  // Only HTTP has connections that end before their session.
  const connection = authInfo?.extra?.["signal"];
  const own = connection instanceof AbortSignal ? AbortSignal.any([signal, connection]) : signal;
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return { signal: own, report() {}, end() {} };
  let progress = 0;
  let message = "waiting for other documents";
  const send = () => {
    const params = { progressToken, progress, message };
    progress += 1;
    sendNotification({ method: "notifications/progress", params }).catch(() => {});
  };
  send();
  const timer = setInterval(send, progressMs);
  return {
    signal: own,
    report(text) {
      message = text;
    },
    end: () => clearInterval(timer),
  };
}

function describeDocument(uid: string, document: SavedDocument): CallToolResult {
  const { path, bytes, pages, pdf, png, warnings } = document;
  const warning = warnings.join(" ");
  const size = `${bytes} bytes${pages === undefined ? "" : `, ${formatPages(pages)}`}`;
  const content: CallToolResult["content"] = [
    { type: "text", text: `Saved ${path} (${size}). ${warning}`.trim() },
  ];
  if (pdf) {
    const uri = pathToFileURL(path).href;
    const blob = pdf.toString("base64");
    content.push({ type: "resource", resource: { uri, mimeType: "application/pdf", blob } });
  }
  if (png) content.push({ type: "image", mimeType: "image/png", data: png.toString("base64") });
  const structuredContent = {
    uid,
    path,
    bytes,
    ...(pages !== undefined && { pages }),
    ...(warning !== "" && { warning }),
  };
  return { content, structuredContent };
}

function formatPages(pages: number): string {
  return `${pages} ${pages === 1 ? "page" : "pages"}`;
}

function describeTemplates(folder: string, templates: readonly CheckedTemplate[]): CallToolResult {
  const lines = templates.flatMap(({ file, pages, problems }) =>
    problems.length > 0
      ? problems.map(({ message }) => message)
      : `${file}: no problems${pages === undefined ? "" : `, ${formatPages(pages)}`}`,
  );
  if (lines.length === 0) lines.push(`The template folder ${folder} contains no templates.`);
  return { content: [{ type: "text", text: lines.join("\n") }], structuredContent: { folder, templates } };
}

/** Adds the resources and the prompt for writing templates. */
function addTemplates(server: Server, emulated: EmulatedTemplates): void {
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: emulated.checked.map(({ uid, file, problems: [problem] }) => ({
      uri: uriStart + encodeURIComponent(uid),
      name: file,
      title: uid,
      description: problem?.message ?? `The source of the template ${JSON.stringify(uid)}`,
      mimeType: mimeTypeOf(file),
    })),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [
      { uriTemplate: `${uriStart}{uid}`, name: "template", title: "The source of a template" },
    ],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const uid = uidOf(uri);
    const found = uid === undefined ? undefined : await emulated.read(uid);
    if (found === undefined) throw new Refusal(resourceNotFound, "There is no such template.");
    return { contents: [{ uri, ...found }] };
  });
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [newTemplatePrompt] }));
  server.setRequestHandler(GetPromptRequestSchema, async ({ params: { name, arguments: given } }) => {
    if (name !== newTemplatePrompt.name) {
      throw new Refusal(invalidParams, `There is no prompt ${JSON.stringify(name)}.`);
    }
    return { messages: await promptMessages(emulated.folder, given?.["document"]) };
  });
}

function uidOf(uri: string): string | undefined {
  try {
    return uri.startsWith(uriStart) ? decodeURIComponent(uri.slice(uriStart.length)) : undefined;
  } catch {
    return undefined;
  }
}
