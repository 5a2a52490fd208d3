import { TemplatePdf } from "template-pdf";

/** The service and the runtime of the checks. */
export class Stage {
  key = "smoke-suite-key";
  values = { date: "20 November 2026", total: "£1,000,000" };

  /**
   * @param settings - `service`: the address of the service; `unserved`: an address without a server; `document`: the length and
   *   the checksum of the document; `facts`: the expected properties of the runtime; `folder`: where files can be written
   */
  constructor(settings) {
    Object.assign(this, settings);
  }

  /** Returns a client for the runtime: in a page, it has no key and a relative base URL. */
  client(options) {
    const access = this.facts.isPage ? { baseUrl: "/keyless" } : { baseUrl: this.service, apiKey: this.key };
    return new TemplatePdf({ ...access, retry: false, ...options });
  }

  /** Returns the uid of a new template, whose first requests have a fault. */
  async template(fault = "", times = 1_000) {
    const uid = JSON.stringify([fault, times, globalThis.crypto.randomUUID()]);
    // Replaces a connection that an earlier fault broke.
    await this.seen(uid);
    return uid;
  }

  /** Returns what the service recorded for a template: `requests`, `sentBytes` and the number `inFlight`. */
  seen(uid) {
    return this.#ask("/seen", uid);
  }

  /** Returns the same record once requests have arrived and no call is in flight. */
  whenFinished(uid) {
    return this.#ask("/when-finished", uid);
  }

  /** Returns the same record once a request has arrived. */
  whenRequested(uid) {
    return this.#ask("/when-requested", uid);
  }

  async #ask(path, uid) {
    const send = () => fetch(this.service + path, { method: "POST", body: JSON.stringify({ uid }) });
    // Retries once, because an earlier fault can have broken the connection.
    const response = await send().catch(send);
    return response.json();
  }
}
