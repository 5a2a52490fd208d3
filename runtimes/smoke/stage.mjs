import { TemplatePdf } from "template-pdf";

/** Where the checks of one runtime take place: the service, and what this runtime is known to be. */
export class Stage {
  /**
   * @param settings - `service`: the address of the service, and `unserved`: one at which nobody listens;
   *   `facts`: what is expected of this runtime; `folder`: where files may be written
   */
  constructor({ service, unserved, facts, folder }) {
    this.service = service;
    this.unserved = unserved;
    /** The length and the sum of the document that the service makes of the latest template. */
    this.document = undefined;
    this.facts = facts;
    this.folder = folder;
    this.key = "key-of-the-smoke-suite";
    this.values = { date: "20 November 2026", total: "£1,000,000" };
  }

  /** A client as such a runtime has it: a page has no key, and says where the service is by a path. */
  client(options) {
    const access = this.facts.isPage ? { baseUrl: "/keyless" } : { baseUrl: this.service, apiKey: this.key };
    return new TemplatePdf({ ...access, retry: false, ...options });
  }

  /** The uid of a template that nobody else asks for, and what happens to calls for it. */
  async template(fault, times) {
    const uid = `inv_${globalThis.crypto.randomUUID()}`;
    // Always, as it finds out which connections an earlier fault has spoilt. What a whole document is may be up to the fault.
    this.document = await this.#ask("/plan", { uid, fault, times });
    return uid;
  }

  /** What the service saw of the calls for a template: `requests`, `sentBytes`, and how many are `underWay`. */
  seen(uid) {
    return this.#ask("/seen", { uid });
  }

  /** The same, as soon as none is under way any more. */
  whenOver(uid) {
    return this.#ask("/when-over", { uid });
  }

  /** The same, as soon as a request has come. */
  whenAsked(uid) {
    return this.#ask("/when-asked", { uid });
  }

  async #ask(path, question) {
    const ask = () => fetch(this.service + path, { method: "POST", body: JSON.stringify(question) });
    // Again, where the connection was one that an earlier fault has spoilt.
    const response = await ask().catch(ask);
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.json();
  }
}
