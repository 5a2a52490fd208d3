const { readdirSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const { TemplatePdf, TimeoutError, TruncatedPdfError } = require("template-pdf");
const { fakeService, faults, pdfText } = require("template-pdf/testing");
const { archiveDocuments } = require("../src/archive-documents.js");
const documents = require("./documents.json");
const { temporaryFolder } = require("./temporary-folder.js");

// Each test has its own service and client, so nothing has to be reset.
function setUp(options) {
  const service = fakeService({ templates: ["invoice", "credit_note"] });
  const { baseUrl, apiKey, fetch } = service;
  return {
    service,
    pdfs: new TemplatePdf({ baseUrl, apiKey, fetch, ...options }),
    folder: temporaryFolder(),
  };
}

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

test("saves a file with its values for each document", async () => {
  const { pdfs, folder } = setUp();
  await archiveDocuments(documents, folder, pdfs);

  expect(readdirSync(folder)).toEqual(["2026-0117.pdf", "2026-0118.pdf"]);
  expect(await pdfText(readFileSync(join(folder, "2026-0117.pdf")))).toMatchInlineSnapshot(`
"invoice
customer: Zoë Krüger
total: £640.00"
`);
});

test("creates a client from the environment by default", async () => {
  const { service, folder } = setUp();
  const { baseUrl, apiKey, fetch } = service;
  jest.replaceProperty(process, "env", { TEMPLATE_PDF_BASE_URL: baseUrl, TEMPLATE_PDF_API_KEY: apiKey });
  jest.spyOn(globalThis, "fetch").mockImplementation(fetch);
  await archiveDocuments(documents, folder);

  expect(service.calls.map(({ uid }) => uid)).toEqual(["invoice", "credit_note"]);
});

test("does not save a truncated document", async () => {
  const { service, pdfs, folder } = setUp({ retry: false });
  service.fail(faults.cutOff(), { uid: "credit_note" });
  const error = await archiveDocuments(documents, folder, pdfs).catch((error) => error);

  expect(TruncatedPdfError.is(error)).toBe(true);
  expect(readdirSync(folder)).toEqual(["2026-0117.pdf"]);
});

test("times out if the service stops sending, without waiting in the test", async () => {
  jest.useFakeTimers();
  const { service, pdfs, folder } = setUp({ retry: false });
  service.fail(faults.stall());

  const outcome = archiveDocuments(documents, folder, pdfs).catch((error) => error);
  await service.waitForCall();
  // `timeouts.stall` is 30 s, and can fire slightly late.
  await jest.advanceTimersByTimeAsync(31_000);

  const error = await outcome;
  expect([TimeoutError.is(error), error.phase]).toEqual([true, "stall"]);
  expect(readdirSync(folder)).toEqual([]);
});
