import { type BulkQueue, bulkQueue } from "../../queue/index.ts";
import { Misuse } from "../failure.ts";
import type { Terminal } from "../terminal.ts";

/** What the command line of each command with a queue says. */
export interface QueueFlags {
  /** `true` without a value. */
  readonly queue?: string | true;
  readonly name?: string;
}

const urlName = "TEMPLATE_PDF_QUEUE_URL";
const keyName = "TEMPLATE_PDF_QUEUE_KEY";
const defaultName = "template-pdf";

/** Where the queue is, what it is called, and what seals its jobs. */
export interface QueueAccess {
  readonly url: string;
  readonly name: string;
  readonly sealKey: Uint8Array | undefined;
}

/**
 * Finds the queue: `--queue`, else the environment. An empty variable counts as not set.
 *
 * @throws {Misuse} without the URL and the key, which are secrets
 */
export function readQueueAccess(flags: QueueFlags, env: Terminal["env"]): QueueAccess {
  const { queue, name = defaultName } = flags;
  const url = typeof queue === "string" ? queue : env[urlName];
  if (!url) {
    throw new Misuse(
      `The URL of the queue is missing. Pass --queue redis://localhost:6379, or set ${urlName} in the environment.`,
    );
  }
  const afterScheme = url.slice(url.indexOf("//") + 2);
  const hostEnd = afterScheme.search(/[/?#]/);
  // Else a part of the password would be taken for the host, which messages name.
  if (hostEnd !== -1 && afterScheme.includes("@", hostEnd)) {
    throw new Misuse(
      "The URL of the queue has an @ after its host. In a password, write @ as %40, / as %2F, ? as %3F and # as %23.",
    );
  }
  if (name === "" || name.includes(":")) {
    throw new Misuse(`--name takes a text without a colon, and got ${JSON.stringify(name)}.`);
  }
  return { url, name, sealKey: readSealKey(env) };
}

function readSealKey(env: Terminal["env"]): Uint8Array | undefined {
  const text = env[keyName];
  if (!text) return undefined;
  const key = Buffer.from(text, "base64");
  if (key.length === 32) return key;
  throw new Misuse(
    `${keyName} has to be the base64 of 32 bytes. Create one with openssl rand -base64 32, and give all machines the same.`,
  );
}

/** Opens the queue, which connects at its first use. */
export function openQueue({ url, name, sealKey }: QueueAccess): BulkQueue {
  return bulkQueue({ connection: url, name, sealKey });
}

/** The options that lead another command to the same queue, without the URL: it may hold a password. */
export function sameQueueOptions({ queue, name }: QueueFlags): string {
  const options = [
    ...(typeof queue === "string" ? ["--queue <url>"] : []),
    ...(name === undefined || name === defaultName ? [] : [`--name ${name}`]),
  ];
  return options.map((option) => ` ${option}`).join("");
}
