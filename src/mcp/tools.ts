import { createHash } from "node:crypto";
import type { Tool, ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";
import { formatMistake, parseSchema } from "../emulator/renderer/json/schema/json-schema.ts";
import { isJsonObject } from "../json/json-value.ts";
import { listIssues, type ValueIssue } from "../service/invalid-values.ts";

/** A template that the server offers as a tool. */
export interface KnownTemplate {
  readonly uid: string;
  /** The JSON Schema of its values. */
  readonly schema: unknown;
  /** Returns the issues with values, which never contain a value. */
  check(values: Record<string, unknown>): readonly ValueIssue[];
}

/**
 * Reads the schema of a template.
 *
 * @param file - the name of the schema's file
 * @param errorOf - creates the error if it is not a valid JSON Schema, which is then thrown
 */
export function knownTemplate(
  uid: string,
  schema: unknown,
  file: string,
  errorOf = (message: string) => new Error(message),
): KnownTemplate {
  const check = parseSchema(schema, file, (place, problem) => errorOf(formatMistake(file, place, problem)));
  return { uid, schema, check };
}

/** The known templates. They may change while the server is running. */
export interface TemplateSource {
  readonly templates: readonly KnownTemplate[];
  /** Called after a change. */
  readonly listeners: Set<() => void>;
}

/** A tool that generates a document. */
export interface GenerateTool {
  readonly tool: Tool;
  /** Reads the arguments. @throws {Error} if they are invalid; the message contains properties and reasons, but no values */
  read(given: Record<string, unknown>): { readonly uid: string; readonly values: Record<string, unknown> };
}

/** What is true for every tool that generates a document. */
interface ToolFacts {
  /** Whether a document replaces an earlier one. */
  readonly isReplacing: boolean;
  /** Whether the emulator in this process renders the documents, instead of a service on the network. */
  readonly isEmulated: boolean;
}

/** Clients accept names of up to 64 letters, digits, underscores and hyphens. */
const maxNameLength = 64;

/** The maximum length of a title or a description from a schema. */
const maxTitleLength = 100;
const maxDescriptionLength = 1_000;

const resultSchema: Tool["outputSchema"] = {
  type: "object",
  properties: {
    uid: { type: "string", description: "The uid of the template" },
    path: { type: "string", description: "The path of the PDF" },
    bytes: { type: "integer", description: "The size of the PDF in bytes" },
    pages: { type: "integer", description: "The number of pages, if it is known" },
    warning: { type: "string", description: "A problem with the document" },
  },
  required: ["uid", "path", "bytes"],
};

/** Creates a tool for each template, by name. */
export function generateTools(
  templates: readonly KnownTemplate[],
  allowsAny: boolean,
  facts: ToolFacts,
): Map<string, GenerateTool> {
  const tools = new Map<string, GenerateTool>();
  const wanted = templates.map(({ uid }) => nameFor(uid));
  for (const template of templates) {
    const isShared = wanted.filter((name) => name === nameFor(template.uid)).length > 1;
    const name = isShared ? unsharedNameFor(template.uid) : nameFor(template.uid);
    tools.set(name, templateTool(name, template, facts));
  }
  if (allowsAny) tools.set("generate", anyTool(facts));
  return tools;
}

function nameFor(uid: string): string {
  return `generate_${uid.replace(/[^\w-]/g, "_")}`.slice(0, maxNameLength);
}

/** Returns a name that depends only on the uid, so that another template never gets the name of this one. */
function unsharedNameFor(uid: string): string {
  const name = nameFor(uid);
  if (name === `generate_${uid}`) return name;
  const suffix = `_${createHash("sha256").update(uid).digest("hex").slice(0, 8)}`;
  return name.slice(0, maxNameLength - suffix.length) + suffix;
}

function templateTool(name: string, template: KnownTemplate, facts: ToolFacts): GenerateTool {
  const { uid, schema } = template;
  const { title, description } = isJsonObject(schema) ? schema : {};
  const about = typeof description === "string" ? `\n${description.slice(0, maxDescriptionLength)}` : "";
  return {
    tool: {
      name,
      title: typeof title === "string" ? title.slice(0, maxTitleLength) : uid,
      description: `Generates a PDF from the template ${JSON.stringify(uid)}, and saves it. The arguments are the values of the template.${about}`,
      inputSchema: inputSchemaOf(schema),
      outputSchema: resultSchema,
      annotations: annotationsOf(facts),
    },
    read: (values) => ({ uid, values: checked(values, template) }),
  };
}

/** The template of the tool `generate`, whose values are a uid and the values of any template. */
const anyTemplate = knownTemplate(
  "generate",
  {
    type: "object",
    properties: {
      uid: { type: "string", minLength: 1, description: "The uid of the template" },
      values: { type: "object", description: "The values of the template: a property for each placeholder" },
    },
    required: ["uid", "values"],
    additionalProperties: false,
  },
  "",
);

/** The tool for templates that the server does not know. */
function anyTool(facts: ToolFacts): GenerateTool {
  return {
    tool: {
      name: "generate",
      title: "Generate a PDF",
      description: "Generates a PDF from a template that has no tool of its own, and saves it.",
      inputSchema: inputSchemaOf(anyTemplate.schema),
      outputSchema: resultSchema,
      annotations: annotationsOf(facts),
    },
    read: (given) => checked(given, anyTemplate) as ReturnType<GenerateTool["read"]>,
  };
}

/** Checks values before anything is sent. */
function checked(values: Record<string, unknown>, { uid, check }: KnownTemplate): Record<string, unknown> {
  const issues = check(values);
  if (issues.length === 0) return values;
  throw new Error(`Invalid arguments for ${JSON.stringify(uid)}: ${listIssues(issues)}. Nothing was sent.`);
}

function annotationsOf({ isReplacing, isEmulated }: ToolFacts): ToolAnnotations {
  return {
    readOnlyHint: false,
    destructiveHint: isReplacing,
    // The service may bill for each call.
    idempotentHint: false,
    openWorldHint: !isEmulated,
  };
}

/** Converts a schema to the form that the protocol requires: an object schema whose properties are objects. */
function inputSchemaOf(schema: unknown): Tool["inputSchema"] {
  if (!isJsonObject(schema)) return { type: "object" };
  const { properties } = schema;
  if (!isJsonObject(properties)) return { ...schema, type: "object" };
  const members = Object.entries(properties).map(([name, member]) => [
    name,
    member === true ? {} : member === false ? { not: {} } : member,
  ]);
  return { ...schema, type: "object", properties: Object.fromEntries(members) };
}
