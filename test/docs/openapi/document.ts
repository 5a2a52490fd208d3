import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

/** The parts of OpenAPI 3.1 that docs/openapi.yaml is made of. */
export interface OpenApi {
  info: { title: string; version: string; description: string };
  externalDocs: { url: string };
  servers: { url: string; variables?: Record<string, { default: string }> }[];
  security: Record<string, string[]>[];
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: Record<string, SecurityScheme>; schemas: Record<string, Schema> };
  [more: string]: unknown;
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  parameters: { name: string; in: string; required?: boolean; schema: Schema; description: string }[];
  requestBody: { required?: boolean; content: Record<string, Content> };
  responses: Record<string, Answer>;
  [more: string]: unknown;
}

export interface Answer {
  description: string;
  headers: Record<string, { required?: boolean; schema: Schema }>;
  content: Record<string, Content>;
}

interface Content {
  schema: Schema;
  examples?: Record<string, { value: Record<string, unknown> }>;
}

interface SecurityScheme {
  type: string;
  in: string;
  name: string;
  description: string;
}

export type Schema = Record<string, unknown>;

export const openApiFile = fileURLToPath(new URL("../../../docs/openapi.yaml", import.meta.url));

const whole: OpenApi = parse(readFileSync(openApiFile, "utf8"));

/** What stands in docs/openapi.yaml: a new object each time, which may be changed. */
export function readOpenApi(): OpenApi {
  return structuredClone(whole);
}

/** The one operation, and where it stands. */
export function onlyOperation({ paths }: OpenApi): { path: string; method: string; operation: Operation } {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const [only] = operations;
  if (!only || operations.length > 1) throw new Error(`Expected one operation, found ${operations.length}.`);
  return only;
}
