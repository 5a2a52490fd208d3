import { ConfigurationError } from "template-pdf";
import { equal, gather, holds, isDocument, rejectionOf } from "./expect.mjs";

/** Every form that there is everywhere, read to its end. */
const everywhere = {
  "bytes()": (from) => from.bytes(),
  "arrayBuffer()": async (from) => new Uint8Array(await from.arrayBuffer()),
  "blob()": async (from) => {
    const blob = await from.blob();
    equal(blob.type, "application/pdf", "the blob's type");
    return new Uint8Array(await blob.arrayBuffer());
  },
  "stream()": async (from) => gather(await from.stream()),
  "for await": (from) => gather(from),
  "response()": async (from) => {
    const response = await from.response({ headers: { "x-mine": "kept" } });
    holds(response instanceof Response, "It is no Response.");
    const { status, headers } = response;
    equal(
      [status, headers.get("content-type"), headers.get("x-mine")],
      [200, "application/pdf", "kept"],
      "the response",
    );
    return new Uint8Array(await response.arrayBuffer());
  },
};

/** What needs the streams and buffers of Node. */
const ofNode = {
  "buffer()": async (from) => {
    const buffer = await from.buffer();
    holds(globalThis.process.getBuiltinModule("node:buffer").Buffer.isBuffer(buffer), "It is no Buffer.");
    return new Uint8Array(buffer);
  },
  "nodeStream()": async (from) => {
    const stream = await from.nodeStream();
    holds(typeof stream.pipe === "function", "It is no stream of Node.");
    return gather(stream);
  },
};

/** What says instead that it does not exist. */
function refusal(form, instead) {
  return async (promise) => {
    const error = await rejectionOf(promise);
    holds(ConfigurationError.is(error), `Not a ConfigurationError: ${error}`);
    equal(
      error.message,
      `${form} needs Node, Deno or Bun, and this runtime is none of them. Use ${instead}.`,
      "what it says",
    );
    return `\`${form}\` is a \`ConfigurationError\` that names ${instead.replaceAll(/\w+\(\)/g, "`$&`")}`;
  };
}

const refusals = {
  "buffer()": refusal("buffer()", "bytes() or arrayBuffer()"),
  "nodeStream()": refusal("nodeStream()", "stream()"),
};

/** A check that a form brings the document, or says that it cannot. */
function brings(form, read, fromAwaited) {
  return async (stage) => {
    const client = stage.client();
    const pending = client.generate(await stage.template(), stage.values);
    const from = fromAwaited ? { document: await pending } : { document: pending };
    const refuses = !stage.facts.hasFiles && refusals[form];
    try {
      // In a function of its own: a form of the awaited document may throw at once.
      if (refuses) {
        const refused = await refuses((async () => read(from.document))());
        await from.document.cancel();
        return refused;
      }
      isDocument(await read(from.document), stage.document);
    } finally {
      await client.close();
    }
  };
}

export const forms = {};

for (const [form, read] of Object.entries({ ...everywhere, ...ofNode })) {
  forms[`${form} of the document on its way`] = brings(form, read, false);
  forms[`${form} of the awaited document`] = brings(form, read, true);
}

forms["a document can be read once"] = async (stage) => {
  const document = await stage.client().generate(await stage.template(), stage.values);
  await document.bytes();
  const error = await rejectionOf(document.bytes());
  holds(error instanceof TypeError, `Not a TypeError: ${error}`);
};

forms["twenty documents at the same time"] = async (stage) => {
  const client = stage.client();
  const uid = await stage.template();
  const all = Array.from({ length: 20 }, () => client.generate(uid, stage.values).bytes());
  for (const bytes of await Promise.all(all)) isDocument(bytes, stage.document);
  equal((await stage.seen(uid)).requests.length, 20, "how often the service was asked");
  await client.close();
};
