import { ConfigurationError, TemplatePdf, TruncatedPdfError } from "template-pdf";
import { equal, gather, holds, isDocument, rejectionOf } from "./expect.mjs";

/** Reads a document to its end with each output method. */
const outputs = {
  "bytes()": (pending) => pending.bytes(),
  "arrayBuffer()": async (pending) => new Uint8Array(await pending.arrayBuffer()),
  "blob()": async (pending) => new Uint8Array(await (await pending.blob()).arrayBuffer()),
  "stream()": async (pending) => gather(await pending.stream()),
  "for await": (pending) => gather(pending),
  "response()": async (pending) => {
    const response = await pending.response();
    equal([response.status, response.headers.get("content-type")], [200, "application/pdf"], "the response");
    return new Uint8Array(await response.arrayBuffer());
  },
  "buffer()": async (pending) => {
    const buffer = await pending.buffer();
    holds(globalThis.process.getBuiltinModule("node:buffer").Buffer.isBuffer(buffer), "It is not a Buffer.");
    return buffer;
  },
  "nodeStream()": async (pending) => {
    const stream = await pending.nodeStream();
    holds(typeof stream.pipe === "function", "It is not a Node stream.");
    return gather(stream);
  },
};

/** Alternatives to output methods, for runtimes without the buffers, streams and files of Node. */
const alternatives = {
  "buffer()": "bytes() or arrayBuffer()",
  "nodeStream()": "stream() or bytes()",
  "saveTo()": "bytes(), blob() or response()",
};

/** Checks that an output method rejects in a runtime that does not support it. */
async function isMissing(output, promise) {
  const error = await rejectionOf(promise);
  const message = `${output} needs Node, Deno or Bun. Use ${alternatives[output]}.`;
  equal([ConfigurationError.is(error), error.message], [true, message], "the error");
  const instead = alternatives[output].replaceAll(/\w+\(\)/g, "`$&`");
  return `\`${output}\` rejects with a \`ConfigurationError\` that names ${instead}`;
}

export const documents = {};

for (const [output, read] of Object.entries(outputs)) {
  documents[`${output} reads the whole document`] = async (stage) => {
    const client = stage.client();
    const pending = client.generate(await stage.template(), stage.values);
    if (!stage.facts.hasFiles && output in alternatives) return isMissing(output, read(pending));
    isDocument(await read(pending), stage.document);
    return client.close();
  };
}

Object.assign(documents, {
  "saveTo() saves the whole document, and keeps the old file if the new one is truncated": async (stage) => {
    const first = stage.client().generate(await stage.template(), stage.values);
    if (!stage.facts.hasFiles) return isMissing("saveTo()", first.saveTo("invoice.pdf"));
    const { mkdir, readFile, readdir } = globalThis.process.getBuiltinModule("node:fs/promises");
    const folder = `${stage.folder}/saved`;
    const path = `${folder}/invoice.pdf`;
    await mkdir(folder);
    equal(await first.saveTo(path), { path, bytes: stage.document.byteLength }, "the result");
    const uid = await stage.template("the connection ends in the middle of the document");
    const error = await rejectionOf(stage.client().generate(uid, stage.values).saveTo(path));
    holds(TruncatedPdfError.is(error), `Not a TruncatedPdfError: ${error}`);
    isDocument(await readFile(path), stage.document);
    equal(await readdir(folder), ["invoice.pdf"], "the folder");
  },

  "a request is as specified, and a response has its metadata before it is read": async (stage) => {
    const uid = await stage.template();
    const client = stage.client({ headers: { "x-tenant": "7" } });
    equal(client.transport, stage.facts.transport, "the transport");
    const pdf = await client.generate(uid, stage.values);
    const { status, filename, contentLength, requestId, attempts } = pdf;
    equal(
      [status, filename, contentLength, requestId, attempts, pdf.headers.get("content-type")],
      [200, "Invoice – £.pdf", stage.document.byteLength, "request-of-the-service", 1, "application/pdf"],
      "the metadata",
    );
    isDocument(await pdf.bytes(), stage.document);
    const [{ method, headers, values }] = (await stage.seen(uid)).requests;
    equal([method, headers["content-type"], headers["x-tenant"]], ["POST", "application/json", "7"]);
    equal(values, stage.values, "the values");
    equal(headers.authorization, stage.facts.isPage ? undefined : `API-Key ${stage.key}`, "the key");
  },

  "a client refuses an API key only in a page": async (stage) => {
    const create = async () => new TemplatePdf({ baseUrl: stage.service, apiKey: stage.key });
    if (!stage.facts.isPage) return void (await create());
    const error = await rejectionOf(create());
    holds(ConfigurationError.is(error), `Not a ConfigurationError: ${error}`);
    holds(!error.message.includes(stage.key), "The message contains the key.");
    return "an API key is refused unless `dangerouslyAllowBrowser` is set";
  },

  "a client accepts a relative `baseUrl`, which works only in a page": async (stage) => {
    const client = new TemplatePdf({ baseUrl: "/keyless", apiKey: null });
    const bytes = client.generate(await stage.template(), stage.values).bytes();
    if (!stage.facts.isPage) {
      const error = await rejectionOf(bytes);
      return holds(ConfigurationError.is(error), `Not a ConfigurationError: ${error}`);
    }
    isDocument(await bytes, stage.document);
    return "`baseUrl` can be relative";
  },

  "a client reads its base URL and API key from the environment, if there is one": async (stage) => {
    const uid = await stage.template();
    const generate = async () => new TemplatePdf().generate(uid, {}).bytes();
    if (stage.facts.hasEnvironment) return isDocument(await generate(), stage.document);
    const error = await rejectionOf(generate());
    holds(ConfigurationError.is(error), `Not a ConfigurationError: ${error}`);
    holds(error.message.includes("baseUrl"), `It does not name what is missing: ${error.message}`);
    const isDeno = "Deno" in globalThis;
    return `environment variables are not read${isDeno ? " without `--allow-env`" : ""}, so options are required`;
  },

  "a client does not read documents from a cache": async (stage) => {
    const uid = await stage.template("a document that may be kept for an hour");
    for (let call = 0; call < 2; call++)
      isDocument(await stage.client().generate(uid, stage.values).bytes(), stage.document);
    equal((await stage.seen(uid)).requests.length, 2, "the number of requests");
  },
});
