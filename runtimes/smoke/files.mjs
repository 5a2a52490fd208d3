import { ConfigurationError, SaveError, TruncatedPdfError } from "template-pdf";
import { equal, holds, isDocument, rejectionOf } from "./expect.mjs";

const files = () => globalThis.process.getBuiltinModule("node:fs/promises");

/** What the first of these checks finds where there are no files; the others have nothing to look at then. */
const noFiles = "`saveTo()` is a `ConfigurationError` that names `blob()` and `response()`";

/** A folder of its own, or `undefined` where there are no files. */
async function folderOf({ folder, facts }) {
  if (!facts.hasFiles) return undefined;
  const path = `${folder}/${globalThis.crypto.randomUUID()}`;
  await files().mkdir(path);
  return path;
}

export const saving = {
  "saveTo() writes the whole document, where there are files": async (stage) => {
    const folder = await folderOf(stage);
    const pending = stage.client().generate(await stage.template(), stage.values);
    if (folder === undefined) {
      const error = await rejectionOf(pending.saveTo("invoice.pdf"));
      holds(ConfigurationError.is(error), `Not a ConfigurationError: ${error}`);
      const message =
        "saveTo() needs Node, Deno or Bun, and this runtime is none of them. Use blob() or response().";
      equal(error.message, message, "what it says");
      return noFiles;
    }
    const saved = await pending.saveTo(`${folder}/invoice.pdf`);
    equal(saved, { path: `${folder}/invoice.pdf`, bytes: stage.document.byteLength }, "what it tells");
    isDocument(new Uint8Array(await files().readFile(saved.path)), stage.document);
    equal(await files().readdir(folder), ["invoice.pdf"], "the folder");
  },

  "saveTo() of a document that breaks off leaves the old file, and no other": async (stage) => {
    const folder = await folderOf(stage);
    if (folder === undefined) return noFiles;
    await files().writeFile(`${folder}/invoice.pdf`, "the old one");
    const uid = await stage.template("the connection ends in the middle of the document");
    const error = await rejectionOf(
      stage.client().generate(uid, stage.values).saveTo(`${folder}/invoice.pdf`),
    );
    holds(TruncatedPdfError.is(error), `Not a TruncatedPdfError: ${error}`);
    equal(await files().readFile(`${folder}/invoice.pdf`, "utf8"), "the old one", "the file");
    equal(await files().readdir(folder), ["invoice.pdf"], "the folder");
  },

  "saveTo() of a call that is given up leaves no file": async (stage) => {
    const folder = await folderOf(stage);
    if (folder === undefined) return noFiles;
    const uid = await stage.template("the document stops in the middle, and the connection stays");
    const controller = new AbortController();
    const { signal } = controller;
    const failure = rejectionOf(
      stage.client().generate(uid, stage.values, { signal }).saveTo(`${folder}/invoice.pdf`),
    );
    await stage.whenAsked(uid);
    const reason = new Error("Not wanted any more.");
    controller.abort(reason);
    holds((await failure) === reason, "Not the caller's own reason.");
    await stage.whenOver(uid);
    equal(await files().readdir(folder), [], "the folder");
  },

  "saveTo() into a folder that does not exist says so": async (stage) => {
    const folder = await folderOf(stage);
    if (folder === undefined) return noFiles;
    const error = await rejectionOf(
      stage
        .client()
        .generate(await stage.template(), stage.values)
        .saveTo(`${folder}/none/invoice.pdf`),
    );
    holds(SaveError.is(error), `Not a SaveError: ${error}`);
  },
};
