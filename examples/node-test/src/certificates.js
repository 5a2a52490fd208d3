import { RateLimitError } from "template-pdf";

/** Shows the certificates of a school, or generates them in the background. */
export class Certificates {
  #pdfs;

  /** @param {import("template-pdf").TemplatePdf} pdfs */
  constructor(pdfs) {
    this.#pdfs = pdfs;
  }

  /**
   * Streams a certificate from the service.
   *
   * @param {Request} request - names the student: `?name=Ada`
   * @returns {Promise<Response>}
   */
  async show(request) {
    const name = new URL(request.url).searchParams.get("name");
    if (!name) return new Response("Pass the name of the student.", { status: 400 });
    try {
      return await this.#pdfs.generate("certificate", { name }).response();
    } catch (error) {
      if (!RateLimitError.is(error)) throw error;
      const seconds = Math.ceil((error.retryAfterMs ?? 10_000) / 1_000);
      return new Response("Try again later.", { status: 503, headers: { "retry-after": `${seconds}` } });
    }
  }

  /**
   * Starts to generate a certificate in the background, and calls `done` with the result.
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
