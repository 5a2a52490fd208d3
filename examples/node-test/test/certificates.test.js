import assert from "node:assert/strict";
import { test } from "node:test";
import { TemplatePdf, TimeoutError } from "template-pdf";
import { fakeService, faults, pdfText } from "template-pdf/testing";
import { Certificates } from "../src/certificates.js";

// Nothing is installed but the client: the fake service stands where it would call `fetch`.
function setUp(options) {
  const service = fakeService({ templates: ["certificate"] });
  const { baseUrl, apiKey, fetch } = service;
  return { service, certificates: new Certificates(new TemplatePdf({ baseUrl, apiKey, fetch, ...options })) };
}

const ask = (name) => new Request(`https://school.example.com/certificate?name=${encodeURIComponent(name)}`);

test("a certificate names the student", async () => {
  const { certificates } = setUp();
  const response = await certificates.show(ask("Ada Lovelace"));
  assert.equal(response.headers.get("content-type"), "application/pdf");
  assert.match(await pdfText(await response.arrayBuffer()), /^name: Ada Lovelace$/m);
});

test("a client that was made elsewhere finds the fake service by the global fetch", async (t) => {
  const pdfs = new TemplatePdf({ baseUrl: "https://pdf.example.com", apiKey: "any" });
  const service = fakeService();
  t.mock.method(globalThis, "fetch", service.fetch);
  await new Certificates(pdfs).show(ask("Ada Lovelace"));
  assert.deepEqual(service.calls[0].values, { name: "Ada Lovelace" });
});

test("nothing is asked of the service for nobody", async () => {
  const { service, certificates } = setUp();
  assert.equal((await certificates.show(ask(""))).status, 400);
  assert.deepEqual(service.calls, []);
});

test("a service that is busy asks students to come back", async () => {
  const { service, certificates } = setUp({ retry: false });
  service.fail(faults.rateLimited({ retryAfter: 7 }));
  const { status, headers } = await certificates.show(ask("Ada Lovelace"));
  assert.deepEqual([status, headers.get("retry-after")], [503, "7"]);
});

test("trouble that passes is not seen by students", async (t) => {
  // The client waits at random before it tries again. Node's own fake timers would not help: they leave
  // `performance.now()` as it is, and the client goes by that.
  t.mock.method(Math, "random", () => 0);
  const { service, certificates } = setUp();
  service.fail(faults.serverError(), { times: 1 }).fail(faults.reset(), { times: 1 });
  assert.equal((await certificates.show(ask("Ada Lovelace"))).status, 200);
  assert.equal(service.calls.length, 3);
});

test("a certificate that was ordered is made, though nobody waits for it", async () => {
  const { service, certificates } = setUp();
  certificates.order("Grace Hopper", assert.ifError);

  const { values } = await service.waitForCall();
  assert.deepEqual(values, { name: "Grace Hopper" });
});

test("an order that gets no further is told", async () => {
  const { service, certificates } = setUp({ retry: false, timeouts: { stall: 50 } });
  service.fail(faults.stall({ afterBytes: 200 }));
  const error = await new Promise((resolve) => certificates.order("Grace Hopper", resolve));
  assert.ok(TimeoutError.is(error));
});
