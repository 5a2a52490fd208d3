import { ConfigurationError, TemplatePdf, template, ValuesError } from "template-pdf";
import * as z from "zod";
import { equal, gather, holds, isDocument, rejectionOf, thrownBy } from "./expect.mjs";

/** Reads a document to its end with each output method. */
const outputs = {
  "bytes()": (pending) => pending.bytes(),
  "arrayBuffer()": async (pending) => new Uint8Array(await pending.arrayBuffer()),
  "blob()": async (pending) => {
    const blob = await pending.blob();
    equal(blob.type, "application/pdf", "the blob's type");
    return new Uint8Array(await blob.arrayBuffer());
  },
  "stream()": async (pending) => gather(await pending.stream()),
  "for await": (pending) => gather(pending),
  "response()": async (pending) => {
    const response = await pending.response({ headers: { "x-mine": "kept" } });
    const { status, headers } = response;
    equal([status, headers.get("content-type")], [200, "application/pdf"], "the response");
    equal(headers.get("x-mine"), "kept", "its own header");
    return new Uint8Array(await response.arrayBuffer());
  },
  "buffer()": async (pending) => {
    const buffer = await pending.buffer();
    holds(globalThis.process.getBuiltinModule("node:buffer").Buffer.isBuffer(buffer), "It is not a Buffer.");
    return new Uint8Array(buffer);
  },
  "nodeStream()": async (pending) => {
    const stream = await pending.nodeStream();
    holds(typeof stream.pipe === "function", "It is not a Node stream.");
    return gather(stream);
  },
};

/** The output methods for runtimes without the buffers and streams of Node. */
const alternatives = { "buffer()": "bytes() or arrayBuffer()", "nodeStream()": "stream()" };

export const documents = {};

for (const [output, read] of Object.entries(outputs)) {
  documents[`${output} reads the whole document`] = async (stage) => {
    const client = stage.client();
    const pending = client.generate(await stage.template(), stage.values);
    const instead = stage.facts.hasFiles ? undefined : alternatives[output];
    if (instead === undefined) {
      isDocument(await read(pending), stage.document);
      return client.close();
    }
    const error = await rejectionOf(read(pending));
    holds(ConfigurationError.is(error), `Not a ConfigurationError: ${error}`);
    const reason = `${output} needs Node, Deno or Bun.`;
    equal(error.message, `${reason} Use ${instead}.`, "the message");
    return `\`${output}\` rejects with a \`ConfigurationError\` that names ${instead.replaceAll(/\w+\(\)/g, "`$&`")}`;
  };
}

const schema = z.object({ date: z.string(), total: z.string().default("£0") });

Object.assign(documents, {
  "a response has its metadata before it is read": async (stage) => {
    const pdf = await stage.client().generate(await stage.template(), stage.values);
    equal(
      [pdf.status, pdf.filename, pdf.contentLength, pdf.requestId, pdf.attempts],
      [200, "Invoice – £.pdf", stage.document.byteLength, "request-of-the-service", 1],
      "the metadata",
    );
    equal(pdf.headers.get("content-type"), "application/pdf", "the type");
    isDocument(await pdf.bytes(), stage.document);
  },

  "a request is as specified": async (stage) => {
    const uid = await stage.template();
    const client = stage.client({ headers: { "x-tenant": "7" } });
    await client.generate(uid, stage.values).bytes();
    const [{ method, headers, values }] = (await stage.seen(uid)).requests;
    equal([method, headers["content-type"]], ["POST", "application/json"], "method and content type");
    equal(headers["x-tenant"], "7", "the client's own header");
    equal(values, stage.values, "the values");
    equal(headers.authorization, stage.facts.isPage ? undefined : `API-Key ${stage.key}`, "the key");
  },

  "a client refuses an API key in a page only": async (stage) => {
    const create = () => new TemplatePdf({ baseUrl: stage.service, apiKey: stage.key });
    if (!stage.facts.isPage) return void create();
    const error = await thrownBy(create);
    holds(ConfigurationError.is(error), `Not a ConfigurationError: ${error}`);
    holds(!error.message.includes(stage.key), "The message contains the key.");
    holds(error.message.includes("dangerouslyAllowBrowser"), `It does not name the option: ${error.message}`);
    return "an API key is refused unless `dangerouslyAllowBrowser` is set";
  },

  "a client accepts a relative `baseUrl`, which works in a page only": async (stage) => {
    const client = new TemplatePdf({ baseUrl: "/keyless", apiKey: null });
    const bytes = client.generate(await stage.template(), stage.values).bytes();
    if (!stage.facts.isPage) {
      const error = await rejectionOf(bytes);
      return holds(ConfigurationError.is(error), `Not a ConfigurationError: ${error}`);
    }
    isDocument(await bytes, stage.document);
    return "`baseUrl` can be relative";
  },

  "a client reads base URL and key from the environment, if there is one": async (stage) => {
    if (stage.facts.hasEnvironment) {
      const client = new TemplatePdf();
      return isDocument(await client.generate(await stage.template(), {}).bytes(), stage.document);
    }
    const error = await thrownBy(() => new TemplatePdf());
    holds(ConfigurationError.is(error), `Not a ConfigurationError: ${error}`);
    holds(error.message.includes("baseUrl"), `It does not name what is missing: ${error.message}`);
    return "no environment is read, so options are required";
  },

  "a client uses the transport of its runtime": async (stage) => {
    equal(stage.client().transport, stage.facts.transport, "the transport");
  },

  "a client does not read documents from a cache": async (stage) => {
    const uid = await stage.template("a document that may be kept for an hour");
    for (let call = 0; call < 2; call++)
      isDocument(await stage.client().generate(uid, stage.values).bytes(), stage.document);
    equal((await stage.seen(uid)).requests.length, 2, "the number of requests");
  },

  "a typed template sends the output of its schema, and nothing if a value is wrong": async (stage) => {
    const invoice = template(await stage.template(), schema);
    const client = stage.client();
    isDocument(await client.generate(invoice, { date: "today" }).bytes(), stage.document);
    const error = await rejectionOf(client.generate(invoice, { date: 7 }).bytes());
    holds(ValuesError.is(error), `Not a ValuesError: ${error}`);
    equal(error.issues[0].path, ["date"], "the path");
    const { requests } = await stage.seen(invoice.uid);
    const sent = requests.map(({ values }) => values);
    equal(sent, [{ date: "today", total: "£0" }], "the values sent");
  },
});
