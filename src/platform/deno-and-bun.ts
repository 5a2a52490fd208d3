import { platform as node } from "./node.ts";
import type { Platform } from "./platform.ts";
import { platform as web } from "./web.ts";

/** Deno and Bun have the modules of Node, but not undici. They load `.env` themselves, or require a permission. */
export const platform: Platform = { ...web, nodeOutputs: node.nodeOutputs };
