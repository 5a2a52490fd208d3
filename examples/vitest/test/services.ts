import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { fakeService } from "template-pdf/testing";
import { afterAll, afterEach, beforeAll } from "vitest";
import { invoice, reminder } from "../src/templates.ts";

export const pdfService = fakeService({ templates: [invoice, reminder] });

/** The recipients and documents of the e-mails that were sent. */
export const mails: { to: FormDataEntryValue | null; pdf: ArrayBuffer }[] = [];

// MSW mocks the mail service. The PDF service has its own handlers.
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
