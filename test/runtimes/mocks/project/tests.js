import assert from "node:assert/strict";
import { before, test } from "node:test";
import { AuthenticationError, ServerError, TemplatePdf } from "template-pdf";
import { Invoices } from "./invoices.js";
import * as pdfService from "./pdf-service.js";

const invoices = new Invoices();
const order = { date: "20 November 2026", total: "£1,000,000" };
const pdf = Buffer.from("%PDF-1.7\n%\xe2\xe3\xcf\xd3\nmocked\n%%EOF\n", "latin1");

before(() => pdfService.start());

test("an invoice is the document that the service made", async () => {
  pdfService.answer(200, "application/pdf", pdf);
  assert.deepEqual(await invoices.pdf(order), pdf);
});

test("the service is asked for the template, with our key and the values", async () => {
  pdfService.requests.length = 0;
  pdfService.answer(200, "application/pdf", pdf);
  await invoices.pdf(order);
  assert.deepEqual(pdfService.requests, [
    {
      method: "POST",
      path: "/api/v1/templates/inv_2024/generate-sync",
      authorization: `API-Key ${process.env.TEMPLATE_PDF_API_KEY}`,
      contentType: "application/json",
      body: order,
    },
  ]);
});

test("a service that has failed is told as that", async () => {
  pdfService.answer(500, "text/plain", "out of paper");
  await assert.rejects(invoices.pdf(order), (error) => ServerError.is(error) && error.status === 500);
});

test("a key that is refused is told as that, with what the service said", async () => {
  pdfService.answer(401, "application/json", JSON.stringify({ message: "No such key." }));
  await assert.rejects(
    invoices.pdf(order),
    (error) => AuthenticationError.is(error) && error.status === 401 && error.detail === "No such key.",
  );
});

test("without the mock, a new client has connections of its own to the service", async () => {
  pdfService.stop();
  assert.equal(new TemplatePdf().transport, "undici");
  assert.match(String(await new Invoices().pdf(order)), /made by the service itself/);
});
