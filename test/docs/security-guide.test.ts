import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import type { ApiError } from "template-pdf";
import { describe, expect, it } from "vitest";
import { plainKey } from "../client/canaries.ts";
import { pdfOf, rejectionOf, Service, saying, withLength } from "../support/service.ts";
import { guideText } from "./guide-block.ts";

/** What docs/guides/security.md says; the hunt for keys and values is in the tests that it names. */

const repository = fileURLToPath(new URL("../..", import.meta.url));

const said = "Wei-Ling-CANARY";

describe("the guide to security", () => {
  it("names tests that there are", () => {
    const named = [...guideText("security").matchAll(/`(test\/[^`]+)`/g)].map(([, path = ""]) => path);
    expect(named).not.toEqual([]);
    expect(named.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
  });

  it("says what of a document can hold values, and of an error cannot", async () => {
    const headers = {
      "x-request-id": `of-${said}-${plainKey}`,
      "content-disposition": `attachment; filename="${said}.pdf"`,
    };
    const [whole, refused] = [withLength(pdfOf(1_000), headers), saying(400, "", headers)];
    const service = await Service.start((received) =>
      received.path.includes("invoice") ? whole(received) : refused(received),
    );
    const client = service.client({ apiKey: plainKey });
    const pdf = await client.generate("invoice", { customer: said });
    expect(pdf.requestId).toContain(said);
    expect(pdf.filename).toBe(`${said}.pdf`);
    expect(inspect(pdf)).not.toContain(said);
    expect([pdf.requestId, ...pdf.headers.values()].join()).not.toContain(plainKey);
    await pdf.bytes();
    const error = (await rejectionOf(client.generate("letter", { customer: said }).bytes())) as ApiError;
    expect(error.requestId).toContain("of-");
    expect(error.requestId).not.toContain(said);
  });

  it("says what of an error can hold values, and a message only what no longer looks like one", async () => {
    const answered = { message: "1234567 of Li Wei-Ling is refused; Li has no 1,234,567" };
    const service = await Service.start(saying(400, JSON.stringify({ ...answered, key: plainKey })));
    const client = service.client({ apiKey: plainKey });
    const values = { customer: "Li Wei-Ling", total: 1_234_567 };
    const error = (await rejectionOf(client.generate("invoice", values).bytes())) as ApiError;
    expect(error.body).toMatchObject(answered);
    expect(error.rawBody).not.toContain(plainKey);
    expect(error.message).not.toContain("1234567");
    expect(error.message).not.toContain("Ling");
    expect(error.message).toContain("Li has no 1,234,567");
  });
});
