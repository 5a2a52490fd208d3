import { type BulkQueue, bulkQueue } from "../../queue/index.ts";
import { ownOption } from "../../runtime/own-options.ts";
import { Misuse } from "../failure.ts";
import type { Terminal } from "../terminal.ts";

/** Command-line options for every command that uses a queue. */
export interface QueueFlags {
  /** `true` without a value. */
  readonly queue?: string | true;
  readonly name?: string;
  /** Only for `work` and `runs`. */
  readonly acceptUnsealed?: boolean;
}

const urlName = "TEMPLATE_PDF_QUEUE_URL";
const keyName = "TEMPLATE_PDF_QUEUE_KEY";
const defaultName = "template-pdf";

/** The location and the name of the queue, and the key that encrypts its jobs. */
export interface QueueAccess {
  readonly url: string;
  readonly name: string;
  readonly sealKey: Uint8Array | undefined;
  readonly acceptUnsealed: boolean | undefined;
}

/**
 * Reads the queue settings from `--queue` or else the environment. An empty variable counts as unset.
 *
 * @throws {Misuse} with a message that omits the URL and the key, which are secrets
 */
export function readQueueAccess(flags: QueueFlags, env: Terminal["env"]): QueueAccess {
  const { queue, name = defaultName, acceptUnsealed } = flags;
  const url = typeof queue === "string" ? queue : ownOption(env, urlName);
  if (!url) {
    throw new Misuse(
      `The queue URL is missing. Pass --queue redis://localhost:6379, or set ${urlName} in the environment.`,
    );
  }
  const afterScheme = url.slice(url.indexOf("//") + 2);
  const hostEnd = afterScheme.search(/[/?#]/);
  // Otherwise, part of the password could be read as the host, which messages include.
  if (hostEnd !== -1 && afterScheme.includes("@", hostEnd)) {
    throw new Misuse(
      "The queue URL has an @ after its host. In a password, write @ as %40, / as %2F, ? as %3F and # as %23.",
    );
  }
  if (name === "" || name.includes(":")) {
    throw new Misuse(`--name must be a string without a colon, but got ${JSON.stringify(name)}.`);
  }
  return { url, name, sealKey: readSealKey(env), acceptUnsealed };
}

function readSealKey(env: Terminal["env"]): Uint8Array | undefined {
  const text = ownOption(env, keyName);
  if (!text) return undefined;
  const key = Buffer.from(text, "base64");
  if (key.length === 32) return key;
  throw new Misuse(
    `${keyName} must be 32 bytes, base64-encoded. Create one with openssl rand -base64 32, and use the same key on all machines.`,
  );
}

/** Opens the queue, which connects on first use. */
export function openQueue({ url, ...options }: QueueAccess): BulkQueue {
  return bulkQueue({ connection: url, ...options });
}

/** Returns the options with which another command uses the same queue. They omit the URL, which may contain a password. */
export function sameQueueOptions({ queue, name }: QueueFlags): string {
  const options = [
    ...(typeof queue === "string" ? ["--queue <url>"] : []),
    ...(name === undefined || name === defaultName ? [] : [`--name ${name}`]),
  ];
  return options.map((option) => ` ${option}`).join("");
}
