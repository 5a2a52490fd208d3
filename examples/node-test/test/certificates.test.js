import assert from "node:assert/strict";
import { test } from "node:test";
import { TemplatePdf, TimeoutError } from "template-pdf";
import { fakeService, faults, pdfText } from "template-pdf/testing";
import { Certificates } from "../src/certificates.js";

// The fake service replaces `fetch`, so no other package is needed.
function setUp(options) {
  const service = fakeService({ templates: ["certificate"] });
  const { baseUrl, apiKey, fetch } = service;
  return { service, certificates: new Certificates(new TemplatePdf({ baseUrl, apiKey, fetch, ...options })) };
}

const requestFor = (name) =>
  new Request(`https://school.example.com/certificate?name=${encodeURIComponent(name)}`);

test("a certificate contains the name of the student", async () => {
  const { certificates } = setUp();
  const response = await certificates.show(requestFor("Ada Lovelace"));
  assert.equal(response.headers.get("content-type"), "application/pdf");
  assert.match(await pdfText(await response.arrayBuffer()), /^name: Ada Lovelace$/m);
});

test("a client that was created elsewhere uses the fake service through the global fetch", async (t) => {
  const pdfs = new TemplatePdf({ baseUrl: "https://pdf.example.com", apiKey: "any" });
  const service = fakeService();
  t.mock.method(globalThis, "fetch", service.fetch);
  await new Certificates(pdfs).show(requestFor("Ada Lovelace"));
  assert.deepEqual(service.calls[0].values, { name: "Ada Lovelace" });
});

test("a request without a name is not sent to the service", async () => {
  const { service, certificates } = setUp();
  assert.equal((await certificates.show(requestFor(""))).status, 400);
  assert.deepEqual(service.calls, []);
});

test("a rate limit leads to a 503 response with Retry-After", async () => {
  const { service, certificates } = setUp({ retry: false });
  service.fail(faults.rateLimited({ retryAfter: 7 }));
  const { status, headers } = await certificates.show(requestFor("Ada Lovelace"));
  assert.deepEqual([status, headers.get("retry-after")], [503, "7"]);
});

test("transient failures are retried", async (t) => {
  // Makes the random delay before a retry 0. The fake timers of node:test do not mock `performance.now()`, which the client uses.
  t.mock.method(Math, "random", () => 0);
  const { service, certificates } = setUp();
  service.fail(faults.serverError(), { times: 1 }).fail(faults.reset(), { times: 1 });
  assert.equal((await certificates.show(requestFor("Ada Lovelace"))).status, 200);
  assert.equal(service.calls.length, 3);
});

test("an ordered certificate is generated in the background", async () => {
  const { service, certificates } = setUp();
  certificates.order("Grace Hopper", assert.ifError);

  const { values } = await service.waitForCall();
  assert.deepEqual(values, { name: "Grace Hopper" });
});

test("a timeout of an ordered certificate is reported", async () => {
  const { service, certificates } = setUp({ retry: false, timeouts: { stall: 50 } });
  service.fail(faults.stall({ afterBytes: 200 }));
  const error = await new Promise((resolve) => certificates.order("Grace Hopper", resolve));
  assert.ok(TimeoutError.is(error));
});
