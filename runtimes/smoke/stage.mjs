import { TemplatePdf } from "template-pdf";

/** The service and the runtime of the checks. */
export class Stage {
  /**
   * @param settings - `service`: the address of the service; `unserved`: an address without a server;
   *   `facts`: the expected properties of the runtime; `folder`: where files can be written
   */
  constructor({ service, unserved, facts, folder }) {
    this.service = service;
    this.unserved = unserved;
    /** The length and the checksum of the document of the latest template. */
    this.document = undefined;
    this.facts = facts;
    this.folder = folder;
    this.key = "smoke-suite-key";
    this.values = { date: "20 November 2026", total: "£1,000,000" };
  }

  /** Returns a client for the runtime: in a page, it has no key and a relative base URL. */
  client(options) {
    const access = this.facts.isPage ? { baseUrl: "/keyless" } : { baseUrl: this.service, apiKey: this.key };
    return new TemplatePdf({ ...access, retry: false, ...options });
  }

  /** Plans a fault for a new template, and returns its uid. */
  async template(fault, times) {
    const uid = `inv_${globalThis.crypto.randomUUID()}`;
    // Always sends a request, which replaces connections that an earlier fault broke. The document can depend on the fault.
    this.document = await this.#send("/plan", { uid, fault, times });
    return uid;
  }

  /** Returns what the service recorded for a template: `requests`, `sentBytes` and the number `inFlight`. */
  seen(uid) {
    return this.#send("/seen", { uid });
  }

  /** Returns the same when no call is in flight. */
  whenFinished(uid) {
    return this.#send("/when-finished", { uid });
  }

  /** Returns the same when a request has arrived. */
  whenRequested(uid) {
    return this.#send("/when-requested", { uid });
  }

  async #send(path, body) {
    const send = () => fetch(this.service + path, { method: "POST", body: JSON.stringify(body) });
    // Retries once, because an earlier fault can have broken the connection.
    const response = await send().catch(send);
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.json();
  }
}
