import { nodeOutputs } from "../document/node-outputs.ts";
import { readEnvFile } from "../files/env-file.ts";
import { settingAdvice } from "../request/setting-advice.ts";
import { transports } from "../transport/node.ts";
import type { Platform } from "./platform.ts";

export const platform: Platform = { transports, nodeOutputs, advice: settingAdvice(readEnvFile) };
