import { parseEnv } from "node:util";
import { maxEnvFileBytes } from "../files/env-file.ts";
import { readSmallFile } from "../files/read-file.ts";
import { ownOptions, withoutPrototype } from "../runtime/own-options.ts";
import { describeReadError, Misuse } from "./failure.ts";
import type { Terminal } from "./terminal.ts";

/** The service and the API key for a command. */
export interface ServiceSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
}

const envFile = ".env";

const keyName = "TEMPLATE_PDF_API_KEY";
const baseUrlName = "TEMPLATE_PDF_BASE_URL";

/**
 * Reads the base URL and the API key from `--base-url`, then from the environment, then from `.env` in the working directory.
 * An empty variable counts as not set.
 *
 * A key from the environment is not used with a base URL from `.env`, unless `.env` contains the same key: the folder may
 * belong to someone else, whose server would receive the key. The reverse is allowed and reported on standard error.
 *
 * @param baseUrlOption - the value of `--base-url`
 * @throws {Misuse} if the base URL or the API key is missing, `.env` is needed but cannot be read, or `.env`
 * would send the environment's key to another server
 */
export async function readServiceSettings(
  baseUrlOption: string | undefined,
  { env, stderr }: Pick<Terminal, "env" | "stderr">,
): Promise<ServiceSettings> {
  const variables = ownOptions(env, [baseUrlName, keyName]);
  const given = { baseUrl: baseUrlOption ?? variables[baseUrlName], apiKey: variables[keyName] };
  // An empty option usually comes from an unset variable: do not fall back to another service.
  const needsBaseUrl = !given.baseUrl && baseUrlOption === undefined;
  const fromFile = withoutPrototype(needsBaseUrl || !given.apiKey ? await readEnvFile() : {});
  const baseUrl = needsBaseUrl ? fromFile[baseUrlName] : given.baseUrl;
  const apiKey = given.apiKey || fromFile[keyName];
  const isRedirected = given.apiKey && needsBaseUrl && baseUrl && fromFile[keyName] !== given.apiKey;
  if (isRedirected) throw redirected();
  const orFile = ` or in the ${envFile} file in this folder`;
  if (!apiKey) {
    const also = "the dashboard shows keys under Settings » API keys";
    throw missing("API key", `${keyName}=…`, `${orFile}; ${also}`);
  }
  if (!baseUrl) {
    const sample = "https://pdf.example.com";
    const also = `; or pass --base-url ${sample}`;
    throw missing(
      "base URL of the service",
      `${baseUrlName}=${sample}`,
      given.apiKey ? also : `${orFile}${also}`,
    );
  }
  if (!given.apiKey && variables[baseUrlName] && baseUrlOption === undefined) {
    stderr.write(
      `template-pdf: the API key comes from the ${envFile} file in this folder, and the base URL from the environment.\n`,
    );
  }
  return { baseUrl, apiKey };
}

function redirected(): Misuse {
  return new Misuse(
    `The API key from the environment (${keyName}) is not sent to the base URL from the ${envFile} file in this folder, because someone else may have written that file. ` +
      `If you trust the base URL, export ${baseUrlName} or pass --base-url.`,
  );
}

function missing(what: string, line: string, also: string): Misuse {
  return new Misuse(`The ${what} is missing. Set ${line} in the environment${also}.`);
}

async function readEnvFile(): Promise<Readonly<Record<string, string | undefined>>> {
  try {
    const text = (await readSmallFile(envFile, maxEnvFileBytes)).toString();
    return parseEnv(text.replace(/^\ufeff/, ""));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new Misuse(
      `Could not read ${envFile} in this folder: ${describeReadError(cause)}. ` +
        `Fix that, or set ${keyName} and ${baseUrlName} in the environment.`,
      { cause },
    );
  }
}
