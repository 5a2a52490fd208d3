import { TemplatePdf, template } from "template-pdf";
import { createHandler } from "template-pdf/handler";
import * as z from "zod";

/** What every host serves in these tests, in place of the module of this name in docs/guides/handler.md. */

const values = z.looseObject({ plays: z.string() });

export const handler = createHandler({
  client: new TemplatePdf(),
  templates: { document: template("uid-that-no-page-knows", values) },
  authorize: ({ headers }) => {
    const caller = headers.get("authorization");
    if (caller === "Bearer broken") throw new Error("the sessions are down: key-of-the-sessions");
    if (caller === null) return Response.json({ detail: "Sign in." }, { status: 401 });
    return caller === "Bearer member";
  },
  values: (_request, given) => ({ ...given, price: "set by the server" }),
  filename: (_request, given) => (given as { named?: string }).named,
  origins: ["https://app.example.com"],
});
