import { TemplatePdf, template } from "template-pdf";
import { createHandler, type HandlerOptions } from "template-pdf/handler";
import { onTestFinished, vi } from "vitest";
import { type Answer, pdfOf, Service, withLength } from "../support/service.ts";

/** Texts that a response of a handler must not contain: the key, the uid, and other secrets of the service. */
export const secrets = { key: "key-k3yk3y", uid: "inv_uid_77", upstream: "upstream-words" };

export const pdf = pdfOf(50_000);

type Options = Partial<HandlerOptions>;

/** A handler for a service that responds like this. Every caller is authorized by default. */
export async function handlerBefore(answer: Answer = withLength(pdf), options: Options = {}) {
  const service = await Service.start(answer);
  // The client has default retries, so that the handler decides what is not retried.
  const client = service.client({ apiKey: secrets.key, retry: { limit: 2 } });
  return { service, client, ...handlerOf({ client, ...options }) };
}

/** A handler that logs to a mock. */
export function handlerOf(options: Options & { client: TemplatePdf }) {
  const onError = vi.fn();
  const handler = createHandler({
    templates: { invoice: template(secrets.uid) },
    authorize: () => true,
    onError,
    ...options,
  });
  return { handler, onError };
}

/** A client whose service must not be called. */
export function untouchedClient(): TemplatePdf {
  const fetch = vi.fn(async () => new Response("asked"));
  onTestFinished(() => {
    if (fetch.mock.calls.length > 0) throw new Error("The service was called.");
  });
  return new TemplatePdf({ baseUrl: "https://upstream.test", apiKey: secrets.key, fetch });
}

interface Call {
  readonly name?: string;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: BodyInit | null;
  readonly signal?: AbortSignal;
}

/** A request as a browser sends it. */
export function callOf({ name = "invoice", path, headers, ...init }: Call = {}): Request {
  const where = path ?? `/api/pdf/api/v1/templates/${name}/generate-sync`;
  return new Request(`http://inner.test${where}`, {
    method: "POST",
    body: '{"date":"today"}',
    ...init,
    headers: { "content-type": "application/json", ...headers },
    ...(init.body instanceof ReadableStream && { duplex: "half" }),
  } as RequestInit);
}

/** The complete problem document. */
export async function problemOf(response: Response) {
  const text = await response.text();
  for (const secret of Object.values(secrets)) {
    if ((text + JSON.stringify([...response.headers])).includes(secret)) throw new Error(`Leaked: ${secret}`);
  }
  const { type, ...problem } = JSON.parse(text) as { type: string; detail: string; errors?: unknown };
  // The detail says what happened and what to do.
  if (!/^[A-Z].{30,}\.$/.test(problem.detail)) throw new Error(`Says nothing: ${problem.detail}`);
  return { ...problem, kind: type.replace("urn:template-pdf:problem:", ""), response };
}
