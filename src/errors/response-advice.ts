import { inSeconds } from "./retry-after.ts";

/** Explains what to do after an unsuccessful response. */
export interface ResponseAdvice {
  /**
   * Returns one sentence.
   *
   * @param detail - the response message, redacted
   * @param waitMs - the delay that the response requests
   */
  response(
    response: RefusingResponse,
    request: RefusedRequest,
    detail: string | undefined,
    waitMs: number | undefined,
  ): string;
}

interface RefusingResponse {
  readonly status: number;
  readonly opaqueRedirect: boolean;
  header(name: string): string | undefined;
}

interface RefusedRequest {
  readonly basePath: string;
  readonly headers: readonly string[];
  readonly redactor: { quote(text: string, maxLength: number): string };
}

/** Advice on statuses. The specification lists none, so they have the meaning that HTTP defines. */
export const adviceOnResponse: ResponseAdvice["response"] = (response, request, detail, waitMs) => {
  const { status } = response;
  if (response.opaqueRedirect || (status >= 300 && status < 400)) {
    // The query may contain sent values.
    const location = response.header("location")?.replace(/[?#].*|(?<=\/\/)[^/@]*@/gs, "");
    const elsewhere = location ? `, not at ${JSON.stringify(request.redactor.quote(location, 300))}` : "";
    return `Redirects are not followed: point \`baseUrl\` at the service itself${elsewhere}.`;
  }
  // Another server answered: 405, 501 and 505 mean that it has no such endpoint, so it will not help to try later.
  if ([404, 405, 501, 505].includes(status)) {
    // Without a JSON message, the sender is probably not the service.
    const what = status !== 404 || detail === undefined ? "`baseUrl`" : "the uid and `baseUrl`";
    const added = detail?.includes("/api/v1") ? "" : " (the client adds /api/v1)";
    return `Check ${what}, whose path is ${JSON.stringify(request.basePath)}${added}.`;
  }
  if (status === 429 && waitMs !== undefined)
    return `Try again in ${inSeconds(waitMs)}, or send fewer requests at a time.`;
  const hasKey = request.headers.some((text) => text.startsWith("API-Key "));
  if (hasKey && status === 401) return "Check the API key: the dashboard shows it under Settings » API keys.";
  if (hasKey && status === 403) return "Check which account the API key belongs to.";
  return byStatus[status] ?? (status >= 500 ? "Try again later." : "The full response is in `body`.");
};

const compare = "Compare the values with the template's placeholders.";
const byStatus: { readonly [status: number]: string | undefined } = {
  400: compare,
  401: "No API key was sent: the server at `baseUrl` may require a session.",
  413: "Send less data: the service or a proxy limits the request size.",
  422: compare,
  429: "Send fewer requests at a time.",
};
