import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/**
 * One template: turns the values of a call into a pdfmake document definition, a fresh one each time, because
 * pdfmake writes into it.
 *
 * @see https://pdfmake.github.io/docs/0.3/document-definition-object/
 */
export type TemplateFunction = (values: Record<string, unknown>) => object | Promise<object>;

const extension = ".mjs";

/**
 * Reads every template of a folder: `invoice.mjs` is the template with the uid `invoice`.
 *
 * Files with another extension, hidden files and sub-folders are left alone, so they are the place for what templates share.
 *
 * @param folder - a path, relative to the working directory, or a `file:` URL
 * @throws {Error} when the folder cannot be read, holds no template, or one of them cannot be loaded.
 */
export async function readTemplates(folder: string | URL): Promise<ReadonlyMap<string, TemplateFunction>> {
  const path = toPath(folder);
  const entries = await readdir(path, { withFileTypes: true }).catch(
    (cause: NodeJS.ErrnoException): never => {
      const wrong =
        cause.code === "ENOENT"
          ? "does not exist"
          : cause.code === "ENOTDIR"
            ? "is not a folder"
            : `cannot be read (${cause.code})`;
      throw new Error(
        `The template folder ${path} ${wrong}. Point \`templates\` at the folder that holds your <uid>.mjs files.`,
        { cause },
      );
    },
  );
  const files = entries
    .filter(({ name }) => name.endsWith(extension) && !name.startsWith("."))
    .filter((entry) => !entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  if (files.length === 0) {
    throw new Error(
      `The template folder ${path} holds no template. Add a file <uid>.mjs whose default export is a function ` +
        "(values) => pdfmake document definition.",
    );
  }
  const templates = new Map<string, TemplateFunction>();
  for (const file of files) {
    templates.set(file.slice(0, -extension.length), await loadTemplate(join(path, file)));
  }
  return templates;
}

async function loadTemplate(path: string): Promise<TemplateFunction> {
  const module: { default?: unknown } = await import(/* @vite-ignore */ pathToFileURL(path).href).catch(
    (cause: unknown): never => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`The template ${path} cannot be loaded: ${reason}`, { cause });
    },
  );
  if (typeof module.default !== "function") {
    throw new Error(
      `The template ${path} has no function as its default export (found: ${typeof module.default}). ` +
        "Write: export default (values) => ({ content: [ … ] });",
    );
  }
  return module.default as TemplateFunction;
}

function toPath(folder: string | URL): string {
  const isUrl = folder instanceof URL || folder.startsWith("file:");
  return isUrl ? fileURLToPath(folder) : resolve(folder);
}
