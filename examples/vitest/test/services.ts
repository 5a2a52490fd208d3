import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { fakeService } from "template-pdf/testing";
import { afterAll, afterEach, beforeAll } from "vitest";
import { invoice, reminder } from "../src/templates.ts";

export const pdfService = fakeService({ templates: [invoice, reminder] });

/** What was mailed: to whom, and which document. */
export const mails: { to: FormDataEntryValue | null; pdf: ArrayBuffer }[] = [];

// The mail service is mocked as ever; the PDF service brings its own handlers.
const server = setupServer(
  ...pdfService.handlers,
  http.post("https://mail.example.com/messages", async ({ request }) => {
    const form = await request.formData();
    mails.push({ to: form.get("to"), pdf: await new Response(form.get("attachment")).arrayBuffer() });
    return new HttpResponse(null, { status: 202 });
  }),
);

beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterEach(() => {
  pdfService.reset();
  mails.length = 0;
});
afterAll(() => server.close());
