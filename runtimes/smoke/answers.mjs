import { ConfigurationError, TemplatePdf } from "template-pdf";
import { equal, holds, isDocument, rejectionOf, thrownBy } from "./expect.mjs";

export const answers = {
  "the answer tells of the document before it is read": async (stage) => {
    const document = await stage.client().generate(await stage.template(), stage.values);
    equal(
      [document.status, document.filename, document.contentLength, document.requestId, document.attempts],
      [200, "Invoice – £.pdf", stage.document.byteLength, "request-of-the-service", 1],
      "its metadata",
    );
    equal(document.headers.get("content-type"), "application/pdf", "its type");
    isDocument(await document.bytes(), stage.document);
  },

  "the request is the one of the specification": async (stage) => {
    const uid = await stage.template();
    await stage
      .client({ headers: { "x-tenant": "7" } })
      .generate(uid, stage.values)
      .bytes();
    const { requests } = await stage.seen(uid);
    equal(requests.length, 1, "how often the service was asked");
    const [{ method, headers, values }] = requests;
    equal(method, "POST", "the method");
    equal(headers["content-type"], "application/json", "the content type");
    equal(headers["x-tenant"], "7", "the client's own header");
    equal(values, stage.values, "the values");
    equal(headers.authorization, stage.facts.isPage ? undefined : `API-Key ${stage.key}`, "the key");
  },

  "without a key, no key is sent": async (stage) => {
    const baseUrl = `${stage.service}/keyless`;
    const uid = await stage.template();
    isDocument(
      await stage.client({ baseUrl, apiKey: null }).generate(uid, stage.values).bytes(),
      stage.document,
    );
    equal((await stage.seen(uid)).requests[0].headers.authorization, undefined, "the key");
  },

  "a key may come from a function": async (stage) => {
    let asked = 0;
    const apiKey = async () => {
      asked += 1;
      return stage.key;
    };
    const client = stage.client({ baseUrl: stage.service, apiKey, dangerouslyAllowBrowser: true });
    isDocument(await client.generate(await stage.template(), stage.values).bytes(), stage.document);
    equal(asked, 1, "how often it was asked");
  },

  "a key in a page is refused, and taken everywhere else": async (stage) => {
    const make = () => new TemplatePdf({ baseUrl: stage.service, apiKey: stage.key });
    if (!stage.facts.isPage) return void make();
    const error = await thrownBy(make);
    holds(ConfigurationError.is(error), `Not a ConfigurationError: ${error}`);
    holds(!error.message.includes(stage.key), "The message holds the key.");
    holds(error.message.includes("dangerouslyAllowBrowser"), `It names no way out: ${error.message}`);
    return "a key is refused, unless `dangerouslyAllowBrowser` is set";
  },

  "a relative `baseUrl` is one of a page": async (stage) => {
    const make = () => new TemplatePdf({ baseUrl: "/keyless", apiKey: null });
    if (stage.facts.isPage) {
      isDocument(
        await make()
          .generate(await stage.template(), stage.values)
          .bytes(),
        stage.document,
      );
      return "`baseUrl` may be relative";
    }
    // A page is often rendered on a server first, which makes the client, too; there is nothing it could call.
    const error = await rejectionOf(make().generate("inv_2024", stage.values).bytes());
    holds(ConfigurationError.is(error), `Not a ConfigurationError: ${error}`);
  },

  "address and key come from the environment, where there is one": async (stage) => {
    if (stage.facts.hasEnvironment) {
      const client = new TemplatePdf();
      return isDocument(await client.generate(await stage.template(), {}).bytes(), stage.document);
    }
    const error = await thrownBy(() => new TemplatePdf());
    holds(ConfigurationError.is(error), `Not a ConfigurationError: ${error}`);
    holds(error.message.includes("baseUrl"), `It does not name what is missing: ${error.message}`);
    return "no environment is read: options say where the service is";
  },

  "the transport is the one of this runtime": async (stage) => {
    equal(stage.client().transport, stage.facts.transport, "the transport");
  },

  "every document is asked for, and none comes from a cache": async (stage) => {
    const uid = await stage.template("a document that may be kept for an hour");
    const client = stage.client();
    isDocument(await client.generate(uid, stage.values).bytes(), stage.document);
    isDocument(await client.generate(uid, stage.values).bytes(), stage.document);
    equal((await stage.seen(uid)).requests.length, 2, "how often the service was asked");
  },

  "a sibling shares what it does not say itself": async (stage) => {
    const client = stage.client();
    const uid = await stage.template();
    await client
      .with({ headers: { "x-tenant": "8" } })
      .generate(uid, stage.values)
      .bytes();
    equal((await stage.seen(uid)).requests[0].headers["x-tenant"], "8", "the sibling's header");
  },

  "a closed client takes no calls": async (stage) => {
    const client = stage.client();
    await client.close();
    const error = await rejectionOf(client.generate(await stage.template(), stage.values).bytes());
    holds(ConfigurationError.is(error), `Not a ConfigurationError: ${error}`);
  },
};
