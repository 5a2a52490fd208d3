import type { CallFacts } from "../../src/call/api-error.ts";
import { Redactor } from "../../src/errors/redact.ts";
import type { ResponseHead } from "../../src/transport/response-head.ts";

/** A secret of the caller and a word from its values. */
export const key = "sk-live-123456";
export const word = "Lovelace";

export const call: CallFacts = {
  uid: 'inv "7"',
  origin: "https://pdf.example.com",
  basePath: "/prefix",
  attempts: 3,
  note: " Tried 3 times.",
  request: { headers: ["authorization", `API-Key ${key}`] },
  secrets: new Redactor(key, JSON.stringify({ name: word })),
};

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
    decoded: false,
    undecoded: undefined,
    opaqueRedirect: false,
    ...more,
  };
}
