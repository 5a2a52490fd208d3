import { TemplatePdf, template } from "template-pdf";
import { createHandler } from "template-pdf/handler";
import * as z from "zod";

/** The handler of every host in these tests. It replaces the module `pdf` of docs/guides/handler.md. */

const values = z.looseObject({ total: z.string() });

export const handler = createHandler({
  client: new TemplatePdf({ retry: false }),
  templates: { document: template("secret-uid", values) },
  authorize: ({ headers }) => headers.get("authorization") === "Bearer customer",
  values: (_request, given) => ({ ...given, price: "set by the server" }),
  filename: () => "Rechnung März",
  origins: ["https://app.example.com"],
});
