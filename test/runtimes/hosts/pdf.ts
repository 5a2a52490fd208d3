import { TemplatePdf, template } from "template-pdf";
import { createHandler } from "template-pdf/handler";
import * as z from "zod";

/** What every host serves in these tests, in place of the module of this name in docs/guides/handler.md. */

const values = z.looseObject({ total: z.string() });

export const handler = createHandler({
  client: new TemplatePdf({ retry: false }),
  templates: { document: template("uid-that-no-page-knows", values) },
  authorize: ({ headers }) => headers.get("authorization") === "Bearer member",
  values: (_request, given) => ({ ...given, price: "set by the server" }),
  filename: () => "Rechnung März",
  origins: ["https://app.example.com"],
});
