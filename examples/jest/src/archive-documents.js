const { join } = require("node:path");
const { TemplatePdf } = require("template-pdf");

/**
 * Generates documents one after another, and saves them to a folder.
 *
 * @param {{ name: string, template: string, values: object }[]} documents
 * @param {string} folder
 * @param {TemplatePdf} [pdfs] by default, a client that reads the environment
 */
async function archiveDocuments(documents, folder, pdfs = new TemplatePdf()) {
  for (const { name, template, values } of documents) {
    await pdfs.generate(template, values).saveTo(join(folder, `${name}.pdf`));
  }
}

module.exports = { archiveDocuments };
