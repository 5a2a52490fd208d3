import { ConfigurationError, TruncatedPdfError } from "template-pdf";
import { equal, holds, isDocument, rejectionOf } from "./expect.mjs";

const files = () => globalThis.process.getBuiltinModule("node:fs/promises");

export const saving = {
  "saveTo() saves the whole document, and keeps the old file if the next is truncated": async (stage) => {
    const first = stage.client().generate(await stage.template(), stage.values);
    if (!stage.facts.hasFiles) {
      const error = await rejectionOf(first.saveTo("invoice.pdf"));
      holds(ConfigurationError.is(error), `Not a ConfigurationError: ${error}`);
      const reason = "saveTo() needs Node, Deno or Bun.";
      equal(error.message, `${reason} Use blob() or response().`, "the message");
      return "`saveTo()` rejects with a `ConfigurationError` that names `blob()` and `response()`";
    }
    const folder = `${stage.folder}/${globalThis.crypto.randomUUID()}`;
    const path = `${folder}/invoice.pdf`;
    await files().mkdir(folder);
    const { document } = stage;
    equal(await first.saveTo(path), { path, bytes: document.byteLength }, "the result");
    const uid = await stage.template("the connection ends in the middle of the document");
    const error = await rejectionOf(stage.client().generate(uid, stage.values).saveTo(path));
    holds(TruncatedPdfError.is(error), `Not a TruncatedPdfError: ${error}`);
    isDocument(new Uint8Array(await files().readFile(path)), document);
    equal(await files().readdir(folder), ["invoice.pdf"], "the folder");
  },
};
