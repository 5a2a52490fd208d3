import { Readable } from "node:stream";
import { expect } from "vitest";
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  InvalidPdfError,
  NotFoundError,
  TruncatedPdfError,
} from "../../../src/index.ts";
import { readPdf } from "../../support/pdf-text.ts";
import { proofs } from "../proof.ts";
import { headerOf, samplePdf, textOf } from "../service.ts";

const path = "/api/v1/templates/inv_2024/generate-sync";

export const endpoints = proofs("Endpoints", (prove) => {
  prove("Method | POST", "it is what the client sends", async ({ pdfs, service }) => {
    await pdfs.generate("inv_2024", {}).bytes();
    expect(service.call.method).toBe("POST");
  });

  for (const method of ["PUT", "PATCH", "DELETE"]) {
    prove("Method | POST", `the service's side refuses ${method}`, async ({ service }) => {
      const { status, headers } = await service.send(path, { method });
      expect([status, headers.get("allow")]).toEqual([405, "POST"]);
    });
  }

  const pathRow = "Path shape | `{base_url}/api/v1/templates/:uid/generate-sync`";
  prove(pathRow, "it is the whole of what is asked for", async ({ pdfs, service }) => {
    await pdfs.generate("inv_2024", { total: "1" }).bytes();
    expect(service.call.path).toBe(path);
  });

  for (const other of [`${path}/`, path.replace("-sync", ""), "/templates/inv_2024/generate-sync", "/"]) {
    prove(pathRow, `the service's side knows nothing at ${other}`, async ({ service }) => {
      expect((await service.send(other)).status).toBe(404);
    });
  }

  const uidRow = "Path parameter | `uid`: string, the identifier of the template to render. Required.";
  prove(uidRow, "the template it names is rendered", async ({ pdfs }) => {
    const { text } = await readPdf(await pdfs.generate("certificate", {}).bytes());
    expect(text).toContain("Template certificate");
  });

  prove(uidRow, "the service's side refuses a path without one", async ({ service }) => {
    expect((await service.send("/api/v1/templates//generate-sync")).status).toBe(404);
    expect((await service.send("/api/v1/templates/generate-sync")).status).toBe(404);
  });

  const authorizationRow = "Request header | `Authorization`: `API-Key <API_KEY>` (required)";
  prove(authorizationRow, "it is sent once, in this form", async ({ pdfs, service }) => {
    await pdfs.generate("inv_2024", {}).bytes();
    expect(headerOf(service.call, "authorization")).toBe(`API-Key ${service.apiKey}`);
  });

  prove(authorizationRow, "without it, nothing is rendered", async ({ pdfs, service }) => {
    const call = pdfs.with({ apiKey: null }).generate("inv_2024", {}).bytes();
    await expect(call).rejects.toThrow(AuthenticationError);
    expect(headerOf(service.call, "authorization")).toBe("");
  });

  const typeRow = "Request header | `Content-Type`: `application/json` (required)";
  prove(typeRow, "it is sent once, and without parameters", async ({ pdfs, service }) => {
    await pdfs.generate("inv_2024", { name: "Zoë" }).bytes();
    expect(headerOf(service.call, "content-type")).toBe("application/json");
  });

  prove(typeRow, "a caller cannot send another", async ({ pdfs, service }) => {
    const headers = { "Content-Type": "text/plain" };
    await expect(pdfs.generate("inv_2024", {}, { headers }).bytes()).rejects.toThrow(ConfigurationError);
    expect(service.calls).toEqual([]);
  });

  prove(typeRow, "the service's side refuses another", async ({ pdfs, service }) => {
    service.damage = { contentType: "text/plain" };
    await expect(pdfs.generate("inv_2024", {}).bytes()).rejects.toMatchObject({
      name: "ApiError",
      status: 415,
    });
  });

  const bodyRow =
    "Request body | A JSON object holding the templated values, as property name to value pairs.";
  prove(bodyRow, "it holds these pairs and nothing around them", async ({ pdfs, service }) => {
    await pdfs.generate("inv_2024", { date: "20 November 2026", total: "£1,000,000" }).bytes();
    expect(textOf(service.call)).toBe('{"date":"20 November 2026","total":"£1,000,000"}');
  });

  for (const body of ["[]", '[{"date":"today"}]', "null", '"text"', "7", '{"date":', ""]) {
    prove(bodyRow, `the service's side refuses ${body || "an empty body"}`, async ({ pdfs, service }) => {
      service.damage = { body };
      await expect(pdfs.generate("inv_2024", {}).bytes()).rejects.toThrow(BadRequestError);
    });
  }

  prove(
    "Response body | A PDF stream (the generated document).",
    "it can be read while the rest of it is still to come",
    async ({ pdfs, service }) => {
      const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
      const writer = writable.getWriter();
      service.produce = () => ({ bytes: readable });
      void writer.write(samplePdf.slice(0, 500));
      const chunks = pdfs.generate("inv_2024", {})[Symbol.asyncIterator]();
      expect((await chunks.next()).value).toEqual(samplePdf.slice(0, 500));
      void writer.write(samplePdf.slice(500)).then(() => writer.close());
      const rest = Buffer.concat(await Readable.from(chunks).toArray());
      expect(rest.equals(samplePdf.slice(500))).toBe(true);
    },
  );

  const rule1 =
    "When the request carries a valid API key, an existing template uid and a JSON object of values, then the response body is the PDF generated from that template with those values.";
  prove(rule1, "the values asked for stand in the PDF of the template asked for", async ({ pdfs }) => {
    const values = { date: "20 November 2026", total: "£1,000,000", customer: "Zoë Müller-Łukasz" };
    const { pages, text } = await readPdf(await pdfs.generate("inv_2024", values).bytes());
    expect(pages).toBe(1);
    expect(text.trim()).toBe(
      "Template inv_2024 date: 20 November 2026 total: £1,000,000 customer: Zoë Müller-Łukasz",
    );
  });

  prove(rule1, "with a key that is not valid, it is an AuthenticationError", async ({ pdfs }) => {
    const call = pdfs.with({ apiKey: "key_of_another" }).generate("inv_2024", {}).bytes();
    await expect(call).rejects.toThrow(AuthenticationError);
  });

  prove(rule1, "with a uid that does not exist, it is a NotFoundError", async ({ pdfs }) => {
    await expect(pdfs.generate("inv_1999", {}).bytes()).rejects.toThrow(NotFoundError);
  });

  prove(rule1, "with values that are no object, it is a BadRequestError", async ({ pdfs, service }) => {
    service.damage = { body: '["20 November 2026"]' };
    await expect(pdfs.generate("inv_2024", {}).bytes()).rejects.toThrow(BadRequestError);
  });

  const rule2 = "The templated values are passed only in the request body as one object.";
  prove(rule2, "they stand neither in the path nor in a header", async ({ pdfs, service }) => {
    await pdfs.generate("inv_2024", { placeholder: "its-value" }).bytes();
    expect(JSON.parse(textOf(service.call))).toEqual({ placeholder: "its-value" });
    expect(JSON.stringify([service.call.path, service.call.headers])).not.toMatch(/placeholder|its-value/);
  });

  prove(rule2, "the service's side takes none from a query", async ({ service }) => {
    const response = await service.send(`${path}?total=9`, { body: '{"date":"today"}' });
    const { text } = await readPdf(new Uint8Array(await response.arrayBuffer()));
    expect(text.trim()).toBe("Template inv_2024 date: today");
  });

  prove(
    "The operation is synchronous: the PDF is returned in the response to the same call.",
    "the call ends when the document is there, and not before",
    async ({ pdfs, service }) => {
      let isRendered = false;
      service.produce = async () => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        isRendered = true;
        return { bytes: samplePdf };
      };
      const pdf = await pdfs.generate("inv_2024", {});
      expect([pdf.status, isRendered, service.calls.length]).toEqual([200, true, 1]);
      expect(await pdf.bytes()).toEqual(samplePdf);
    },
  );

  const otherRow = "Other endpoints: not shown.";
  prove(otherRow, "none is called, however a call ends", async ({ pdfs, service }) => {
    await pdfs.generate("inv_2024", {}).blob();
    await (await pdfs.generate("inv_2024", {})).cancel();
    await pdfs.generate("inv_1999", {}).catch(() => {});
    await pdfs
      .with({ apiKey: "wrong" })
      .generate("inv_2024", {})
      .catch(() => {});
    service.answer = () => ({ body: "no PDF", headers: { link: '</next>; rel="next"' } });
    await pdfs.generate("inv_2024", {}).catch(() => {});
    const asked = new Set(service.calls.map((call) => `${call.method} ${call.path}`));
    expect([...asked]).toEqual([`POST ${path}`, `POST ${path.replace("2024", "1999")}`]);
  });

  for (const status of [301, 302, 303, 307, 308]) {
    prove(otherRow, `a ${status} leads to none`, async ({ pdfs, service }) => {
      service.answer = () => ({ status, headers: { location: `${service.baseUrl}/elsewhere` } });
      const call = pdfs.generate("inv_2024", {}).bytes();
      await expect(call).rejects.toMatchObject({ name: "ApiError", status });
      expect(service.call.path).toBe(path);
    });
  }

  prove(otherRow, "no query is sent to this one", async ({ pdfs, service }) => {
    await pdfs.generate("inv_2024", { a: 1 }, { headers: { "x-app": "1" } }).bytes();
    expect(service.call.path).not.toContain("?");
  });

  prove(
    otherRow,
    "no header is sent beyond those of this one and of HTTP: no idempotency key, no cookie, nothing about the client",
    async ({ pdfs, service }) => {
      await pdfs.generate("inv_2024", { a: 1 }).bytes();
      const ofHttp = pdfs.transport === "undici" ? ["host", "connection", "content-length"] : [];
      const names = service.call.headers.map(([name]) => name.toLowerCase());
      expect(names.sort()).toEqual([...ofHttp, "authorization", "content-type"].sort());
    },
  );

  const openRow = "Response status code and response content type: not shown.";
  for (const status of [200, 201, 202, 203, 206, 226, 250, 299]) {
    prove(openRow, `a whole PDF with the status ${status} is a success`, async ({ pdfs, service }) => {
      service.answer = () => ({ status, body: samplePdf });
      const pdf = await pdfs.generate("inv_2024", {});
      expect([pdf.status, await pdf.bytes()]).toEqual([status, samplePdf]);
    });
  }

  for (const type of ["none", "application/pdf", "application/octet-stream", "text/html", "nonsense"]) {
    prove(openRow, `a whole PDF is a success with the content type ${type}`, async ({ pdfs, service }) => {
      const headers: Record<string, string> = type === "none" ? {} : { "content-type": type };
      service.answer = () => ({ headers, body: samplePdf });
      const pdf = await pdfs.generate("inv_2024", {});
      expect(pdf.headers.get("content-type")).toBe(headers["content-type"] ?? null);
      expect(await pdf.bytes()).toEqual(samplePdf);
    });
  }

  for (const [status, body] of [
    [200, "<html>Log in</html>"],
    [200, ""],
    [201, '{"url":"/document.pdf"}'],
    [204, undefined],
  ] as const) {
    prove(openRow, `a ${status} with ${body || "no body"} is none, whatever it is called`, async (ground) => {
      const headers = { "content-type": "application/pdf" };
      ground.service.answer = () => ({ status, headers, ...(body && { body }) });
      await expect(ground.pdfs.generate("inv_2024", {}).bytes()).rejects.toThrow(InvalidPdfError);
    });
  }

  prove(openRow, "half a PDF is none", async ({ pdfs, service }) => {
    service.answer = () => ({ body: samplePdf.slice(0, samplePdf.length / 2) });
    await expect(pdfs.generate("inv_2024", {}).bytes()).rejects.toThrow(TruncatedPdfError);
  });

  prove(openRow, "a whole PDF is none with a status that HTTP calls a failure", async ({ pdfs, service }) => {
    service.answer = () => ({ status: 409, headers: { "content-type": "application/pdf" }, body: samplePdf });
    await expect(pdfs.generate("inv_2024", {}).bytes()).rejects.toThrow(ApiError);
  });
});
