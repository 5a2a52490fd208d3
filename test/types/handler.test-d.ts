import { TemplatePdf, template, type Values } from "template-pdf";
import { contentDisposition, createHandler } from "template-pdf/handler";
import * as z from "zod";

const templates = {
  invoice: template("inv_2024", z.object({ total: z.string() })),
  letter: template<{ text: string }>("letter_1"),
};

const client = new TemplatePdf();
const typed = new TemplatePdf<{ inv_2024: { total: string } }>();

const handler: (request: Request) => Promise<Response> = createHandler({
  client,
  templates,
  authorize: (request, name: string) => request.headers.has("cookie") && name !== "",
  values: (_, values: Record<string, unknown>, name: "invoice" | "letter") => ({ ...values, name }),
  filename: (_request, _values, name) => {
    const known: "invoice" | "letter" = name;
    return known;
  },
});
createHandler({ client: typed, templates, authorize: async () => Response.json({}, { status: 401 }) });

// @ts-expect-error: `authorize` is required
createHandler({ client, templates });
// @ts-expect-error: only `true` authorizes a call
createHandler({ client, templates, authorize: () => undefined });
// @ts-expect-error: a uid is not a template
createHandler({ client, templates: { invoice: "inv_2024" }, authorize: () => true });

/** The type that the server module exports for its pages. */
type Documents = { [name in keyof typeof templates]: Values<(typeof templates)[name]> };
const page = new TemplatePdf<Documents>({ baseUrl: "/api/pdf" });
page.generate("invoice", { total: "£7" }, { onProgress: ({ receivedBytes }) => receivedBytes });
// @ts-expect-error: another name
page.generate("inv_2024", { total: "£7" });

contentDisposition("Rechnung März", "inline") satisfies string;
// @ts-expect-error: neither "attachment" nor "inline"
contentDisposition("a", "form-data");

export { handler };
