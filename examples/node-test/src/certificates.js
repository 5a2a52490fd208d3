import { RateLimitError } from "template-pdf";

/** The certificates of a school: shown at once, or made in the background. */
export class Certificates {
  #pdfs;

  /** @param {import("template-pdf").TemplatePdf} pdfs */
  constructor(pdfs) {
    this.#pdfs = pdfs;
  }

  /**
   * Answers with a certificate, as it comes from the service.
   *
   * @param {Request} request - names the student: `?name=Ada`
   * @returns {Promise<Response>}
   */
  async show(request) {
    const name = new URL(request.url).searchParams.get("name");
    if (!name) return new Response("Whose certificate?", { status: 400 });
    try {
      return await this.#pdfs.generate("certificate", { name }).response();
    } catch (error) {
      if (!RateLimitError.is(error)) throw error;
      const seconds = Math.ceil((error.retryAfterMs ?? 10_000) / 1_000);
      return new Response("Please come back.", { status: 503, headers: { "retry-after": `${seconds}` } });
    }
  }

  /**
   * Begins to make a certificate. Nobody waits for it: `done` hears how it went.
   *
   * @param {string} name
   * @param {(error: unknown, bytes?: Uint8Array) => void} done
   */
  order(name, done) {
    this.#pdfs
      .generate("certificate", { name })
      .bytes()
      .then((bytes) => done(undefined, bytes), done);
  }
}
