import type { CallFacts } from "../../src/call/api-error.ts";
import { Redactor } from "../../src/errors/redact.ts";
import type { ResponseHead } from "../../src/transport/response-head.ts";

/** A secret of the caller's, and a word of its values. */
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

/** The head of an answer, as a transport tells it. */
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
