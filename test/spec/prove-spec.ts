import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { TemplatePdf } from "../../src/index.ts";
import { allProofs } from "./sections/index.ts";
import { sentences } from "./sentences.ts";
import { type Carrier, type Receive, Service } from "./service.ts";

/**
 * Runs every proof over one carrier, under the section and the sentence it proves.
 *
 * @param transport - what the client has to choose by itself
 * @param open - opens the carrier
 */
export function proveSpec(
  transport: TemplatePdf["transport"],
  open: (receive: Receive) => Promise<Carrier>,
): void {
  let carrier: Carrier;
  let current: Service;
  beforeAll(async () => {
    carrier = await open((request, call) => current.receive(request, call));
  });
  afterAll(() => carrier.close());
  beforeEach(() => {
    // What the developer's own shell has set is nobody's default here.
    vi.stubEnv("TEMPLATE_PDF_BASE_URL", undefined).stubEnv("TEMPLATE_PDF_API_KEY", undefined);
  });
  afterEach(() => void vi.unstubAllEnvs());

  for (const [section, itsSentences] of Object.entries(sentences)) {
    describe(section, () => {
      for (const sentence of itsSentences) describe(sentence, () => proveSentence(section, sentence));
    });
  }

  function proveSentence(section: string, sentence: string): void {
    const its = allProofs.filter((proof) => proof.section === section && proof.sentence === sentence);
    for (const { title, run } of its) {
      it(title, async () => {
        current = new Service(carrier.baseUrl);
        const pdfs = new TemplatePdf({ baseUrl: current.baseUrl, apiKey: current.apiKey, retry: false });
        expect(pdfs.transport).toBe(transport);
        await run({ service: current, pdfs });
        await pdfs.close();
      });
    }
  }
}
