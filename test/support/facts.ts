import { SentRequest } from "../../src/call/sent-request.ts";
import { type Advice, serverAdvice } from "../../src/request/advice.ts";
import type { ResponseHead } from "../../src/transport/transport.ts";

/** A secret of the caller and a word from its values. */
export const key = "sk-live-123456";
export const word = "Lovelace";

/** The third request of a call. */
export const request = requestWith(key, ["authorization", `API-Key ${key}`]);

/** The end of the message of an error after that request. */
export const note = " Tried 3 times.";

export function requestWith(
  apiKey: string | undefined,
  headers: readonly string[] = [],
  advice: Advice | null = serverAdvice(),
): SentRequest {
  return new SentRequest(
    {
      uid: 'inv "7"',
      path: "/prefix/api/v1/templates/inv%20%227%22/generate-sync",
      headers,
      json: JSON.stringify({ name: word }),
      attempts: 3,
    },
    {
      endpoint: { origin: "https://pdf.example.com", pathBeforeUid: "/prefix/", basePath: "/prefix" },
      advice: advice ?? undefined,
    },
    apiKey,
  );
}

/** The headers of a response, as a transport reports them. */
export function headOf(
  status: number,
  headers: Record<string, string> = {},
  more: Partial<ResponseHead> = {},
): ResponseHead {
  const own = new Headers(headers);
  return {
    status,
    header: (name) => own.get(name) ?? undefined,
    toHeaders: () => own,
    isDecoded: false,
    unsupportedCoding: undefined,
    opaqueRedirect: false,
    ...more,
  };
}
