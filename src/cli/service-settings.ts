import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { Misuse, reasonOf } from "./failure.ts";

/** Which service to ask, and as whom. */
export interface ServiceSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
}

const envFile = ".env";

const keyName = "TEMPLATE_PDF_API_KEY";
const baseUrlName = "TEMPLATE_PDF_BASE_URL";

/**
 * Finds the service's address and the key: `--base-url`, then the environment, then `.env` in the working directory.
 * An empty variable counts as not set.
 *
 * @param baseUrlOption - what `--base-url` was given, if it was
 * @throws {Misuse} when one is missing, or `.env` is needed and cannot be read
 */
export async function readServiceSettings(
  baseUrlOption: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ServiceSettings> {
  let baseUrl = baseUrlOption ?? env[baseUrlName];
  let apiKey = env[keyName];
  // An option that was given and is empty comes from a variable that is not set: another service is not what is meant.
  if (!apiKey || (!baseUrl && baseUrlOption === undefined)) {
    const fromFile = await readEnvFile();
    apiKey ||= fromFile[keyName];
    if (baseUrlOption === undefined) baseUrl ||= fromFile[baseUrlName];
  }
  if (!apiKey) throw missing("API key", `${keyName}=…`, "the dashboard shows keys under Settings » API keys");
  if (!baseUrl) {
    const sample = "https://pdf.example.com";
    throw missing("base URL of the service", `${baseUrlName}=${sample}`, `or give --base-url ${sample}`);
  }
  return { baseUrl, apiKey };
}

function missing(what: string, line: string, also: string): Misuse {
  return new Misuse(
    `The ${what} is missing. Put ${line} into the environment, or into the file ${envFile} in this folder; ${also}.`,
  );
}

async function readEnvFile(): Promise<Readonly<Record<string, string | undefined>>> {
  try {
    const text = await readFile(envFile, "utf8");
    return parseEnv(text.replace(/^\ufeff/, ""));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new Misuse(
      `Could not read ${envFile} in this folder: ${reasonOf(cause)}. ` +
        `Mend that, or put ${keyName} and ${baseUrlName} into the environment.`,
      { cause },
    );
  }
}
