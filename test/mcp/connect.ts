import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { onTestFinished } from "vitest";
import { Documents } from "../../src/mcp/documents.ts";
import { createServer, type ServerParts } from "../../src/mcp/server.ts";
import { type KnownTemplate, knownTemplate, type TemplateSource } from "../../src/mcp/tools.ts";
import { type Answer, pdfOf, Service, withLength } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A template with two properties. */
export const invoice = knownTemplate(
  "invoice",
  {
    type: "object",
    properties: { number: { type: "string" }, total: { type: "number" } },
    required: ["number"],
    additionalProperties: false,
  },
  "invoice.schema.json",
);

/** Templates that a test can replace. */
class Templates implements TemplateSource {
  readonly listeners = new Set<() => void>();
  templates: readonly KnownTemplate[];

  constructor(templates: readonly KnownTemplate[]) {
    this.templates = templates;
  }

  replace(templates: readonly KnownTemplate[]): void {
    this.templates = templates;
    for (const listener of this.listeners) listener();
  }
}

/** Starts a service, and returns what servers need to use it. */
export async function partsFor(answer: Answer = withLength(pdfOf(2_000)), more: Partial<ServerParts> = {}) {
  const service = await Service.start(answer);
  const out = temporaryFolder();
  const source = new Templates([invoice]);
  const documents = documentsFor(service, out);
  const describe = (error: unknown) => (error as Error).message;
  const common = { version: "1.0.0", emulated: undefined, allowsAny: false, isReplacing: false, describe };
  const parts: ServerParts = { ...common, documents, source, ...more };
  return { service, out, source, parts };
}

/** Generates documents with a service, and saves them in a folder. */
export function documentsFor(
  service: Service,
  out: string,
  options: Partial<ConstructorParameters<typeof Documents>[0]> = {},
): Documents {
  const client = service.client();
  const common = { openClient: async () => client, isReplacing: false, hasPreview: false, limit: 1_000 };
  return new Documents({ ...common, out, ...options });
}

/** Connects a client to a server in this process. */
export async function connect(parts: ServerParts): Promise<Client> {
  const [one, other] = InMemoryTransport.createLinkedPair();
  const server = createServer(parts);
  await server.connect(other);
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(one);
  onTestFinished(() => client.close());
  return client;
}

/** Returns the text of a tool's result. */
export function textOf(result: Awaited<ReturnType<Client["callTool"]>>): string {
  const content = result.content as readonly { readonly type: string; readonly text?: string }[];
  return content.map(({ text }) => text ?? "").join("");
}
